import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { POINTER_KEY, versionKey } from '#server/catalogue/published-catalogue.ts'
import { SETTINGS, withCatalogue } from './measured-shop.ts'
import type { Report } from './report.ts'
import { interleaved, ratioOf, warmPage } from './server-rows.ts'
import { startWorkerd } from './workerd.ts'

const PAGE = '/products'
/** Of every fourth item, two, one or no units are left. */
const SHORT_ITEMS = Array.from({ length: 50 }, (_, n) => [1 + n * 4, n % 3] as const)

type StockOptions = {
  root: string
  workFolder: string
  rounds: number
  seconds: number
}

/** S16: cached pages of a shop with stock, sizes and a published catalogue against those of one with none of them, both with photos. */
export async function stockRows(options: StockOptions, report: Report): Promise<void> {
  const { root, workFolder } = options
  const built = path.join(root, 'dist/client')
  const start = (assetsFolder: string, records: { database: string; store: string }) =>
    startWorkerd({
      worker: { folder: path.join(root, 'dist/server'), assetsFolder },
      ...{ settings: SETTINGS, readyPath: '/robots.txt', workFolder, records },
    })
  const unsizedFolder = withCatalogue('photos-unsized', built, workFolder)
  const photosFolder = withCatalogue('photos', built, workFolder)
  const plain = await start(unsizedFolder, { database: databaseOf([]), store: storeOf() })
  const catalogue = readFileSync(path.join(photosFolder, 'Items.json'), 'utf8')
  const stocked = await start(photosFolder, { database: databaseOf(SHORT_ITEMS), store: storeOf(catalogue) })
  try {
    await Promise.all([plain, stocked].map(({ url }) => warmPage(url + PAGE)))
    const html = new TextDecoder().decode(await warmPage(stocked.url + PAGE))
    if (!html.includes('Sold out')) throw new Error('The measured shop does not know its stock.')
    const measured = await interleaved(
      {
        plain: { address: plain.url + PAGE, workerd: plain },
        stocked: { address: stocked.url + PAGE, workerd: stocked },
      },
      options,
    )
    report.row({
      id: 'S16',
      what: 'cached page with stock, sizes, published : without, requests/s',
      value: ratioOf(measured.stocked, measured.plain, 'requestsPerSecond'),
      budget: { atLeast: 0.95 },
    })
  } finally {
    for (const workerd of [plain, stocked]) workerd.close()
  }
}

/** A D1 whose every query finds these items, each with its units left. */
function databaseOf(rows: readonly (readonly [itemId: number, left: number])[]): string {
  const answer = { success: true, results: { columns: ['item_id', 'units_left'], rows }, meta: {} }
  return `export default { fetch: () => Response.json(${JSON.stringify(answer)}) }`
}

/** A KV namespace in which a catalogue is published, or nothing. */
function storeOf(catalogue?: string): string {
  const hash = createHash('sha256')
    .update(catalogue ?? '')
    .digest('hex')
  const published = { [POINTER_KEY]: JSON.stringify({ number: 1, hash }), [versionKey(hash)]: catalogue }
  return `const values = ${JSON.stringify(catalogue ? published : {})}
export default {
  fetch: ({ url }) => {
    const value = values[decodeURIComponent(new URL(url).pathname.slice(1))]
    return new Response(value, { status: value === undefined ? 404 : 200 })
  },
}`
}
