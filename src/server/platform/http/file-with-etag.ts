import type { Context } from 'hono'
import type { AppEnv } from './app-env.ts'

export type FileWithEtag = { bytes: Uint8Array<ArrayBuffer>; etag: string; type: string }

export function respondWithEtag(c: Context<AppEnv>, { bytes, etag, type }: FileWithEtag): Response {
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' }
  // Compression at the edge turns the tag into a weak one, so the comparison ignores `W/`.
  if (c.req.header('If-None-Match')?.replace(/^W\//, '') === etag) return c.body(null, 304, headers)
  return c.body(bytes, 200, { ...headers, 'Content-Type': type })
}
