import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { respondWithEtag, type TaggedFile } from '#server/platform/http/tagged-file.ts'
import type { PageContent } from '#shared/content/content.ts'

export function contentRoutes({ content }: Pick<ServiceContext, 'content'>) {
  const files = new WeakMap<PageContent, TaggedFile>()

  return new Hono<AppEnv>().get('/content.json', async (c) => {
    const { pages } = await content.load()
    const file = files.get(pages) ?? (await toFile(pages))
    files.set(pages, file)
    return respondWithEtag(c, file)
  })
}

async function toFile(pages: PageContent): Promise<TaggedFile> {
  const json = JSON.stringify(pages)
  return {
    bytes: new TextEncoder().encode(json),
    tag: `"${await sha256Hex(json)}"`,
    type: 'application/json',
  }
}
