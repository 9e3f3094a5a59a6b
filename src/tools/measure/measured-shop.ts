import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Hono } from 'hono'
import { parseConfig } from '#server/env.ts'
import { sendSessionCookie } from '#server/platform/auth/cookies.ts'
import { getPhotoUrl } from '#shared/catalogue/photos.ts'
import { DAY_MS } from '#shared/time.ts'

const USUAL_PRODUCTS = 64
const MANY_PRODUCTS = 5000

type CatalogueVariant = 'usual' | 'many' | 'photos' | 'photos-unsized'
type ProductFile = { sizes?: { label: string }[] }

/** The `photos` variants refer to photos that don't exist. */
export function copyWithCatalogue(which: CatalogueVariant, builtFolder: string, workFolder: string): string {
  const folder = path.join(workFolder, `client-${which}`)
  cpSync(builtFolder, folder, { recursive: true })
  const own = JSON.parse(readFileSync(path.join(builtFolder, 'Items.json'), 'utf8')) as ProductFile[]
  const count = which === 'many' ? MANY_PRODUCTS : USUAL_PRODUCTS
  let lastId = count
  const products = Array.from({ length: count }, (_, index) => {
    const product = own[index % own.length]
    const id = index + 1
    const sizes = product?.sizes?.map((size, n) => ({ ...size, id: n === 0 ? id : ++lastId }))
    const hash = createHash('sha256').update(String(id)).digest('base64url').slice(0, 8)
    return {
      ...{ ...product, ...(which.startsWith('photos') && { image: getPhotoUrl(`${hash}a64`) }), id },
      ...(which === 'photos-unsized' ? { scale: undefined, sizes: undefined } : sizes && { sizes }),
    }
  })
  writeFileSync(path.join(folder, 'Items.json'), JSON.stringify(products))
  return folder
}

export const MEASURED_SHOP_SETTINGS = {
  ENVIRONMENT: 'local',
  COOKIE_SECRET: 'a-secret-for-the-benchmark-alone-0123456789',
}

export async function createSessionCookie(): Promise<string> {
  const ctx = { config: parseConfig(MEASURED_SHOP_SETTINGS), clock: Date.now }
  const user = { name: 'Amina Wanjiru', email: 'amina@example.com' }
  const session = { id: 'benchmark', secret: 'benchmark', ...user, expiresAtMs: Date.now() + 30 * DAY_MS }
  const app = new Hono().get('/', async (c) => {
    await sendSessionCookie(c, ctx, session)
    return c.text('')
  })
  const response = await app.request('http://pamba.test/')
  return response.headers.get('Set-Cookie')?.split(';')[0] ?? ''
}
