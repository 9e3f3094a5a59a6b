import { Hono } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { Unavailable } from '../db/errors.ts'
import type { Deps } from '../deps.ts'
import { photoKey } from '../services/catalogue/store-photo.ts'

const YEAR_SECONDS = 31_536_000

/** `/photos/{id}/{file}`: a photo of a product. Its address is made of its content, so that caches may store it for good. */
export function photoFiles({ photos }: Pick<Deps, 'photos'>) {
  return new Hono<AppEnv>().get('/photos/:id{[\\w-]{16}}/:file{(320|640|1280)(\\.jpg)?}', async (c) => {
    const { id, file } = c.req.param()
    const photo = await photos.get(photoKey(id, file)).catch((cause) => {
      throw new Unavailable('The photo cannot be read.', { cause })
    })
    if (!photo) return c.notFound()
    return c.body(photo.body, 200, {
      'Content-Type': photo.httpMetadata?.contentType ?? 'application/octet-stream',
      'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
      ETag: photo.httpEtag,
    })
  })
}
