import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { type FileWithEtag, respondWithEtag } from '#server/platform/http/file-with-etag.ts'
import type { PageContent } from '#shared/content/content.ts'

export function contentRoutes({ content }: Pick<ServiceContext, 'content'>) {
  const files = new WeakMap<PageContent, FileWithEtag>()

  return new Hono<AppEnv>().get('/content.json', async (c) => {
    const { pages } = await content.load()
    const file = files.get(pages) ?? (await toFile(pages))
    files.set(pages, file)
    return respondWithEtag(c, file)
  })
}

async function toFile(pages: PageContent): Promise<FileWithEtag> {
  const json = JSON.stringify(pages)
  return {
    bytes: new TextEncoder().encode(json),
    etag: `"${await sha256Hex(json)}"`,
    type: 'application/json',
  }
}
