import { sha256Hex } from '#server/platform/crypto.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { describeFirstIssue } from '#shared/catalogue/catalogue-issues.ts'
import { catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'

export type CatalogueSource = {
  current(): Catalogue | undefined
  version(): string | undefined
  load(): Promise<Catalogue>
}

export type CatalogueFile = { bytes: Uint8Array<ArrayBuffer>; catalogue: Catalogue; version: string }

/** Throws if the text isn't a valid catalogue. If it is valid JSON, the error names the first problem. */
export async function parseCatalogueFile(text: string): Promise<CatalogueFile> {
  const file: unknown = JSON.parse(text)
  const result = catalogueSchema.safeParse(file)
  if (!result.success) throw new Error(`Items.json is invalid. ${describeFirstIssue(file)}`)
  return { bytes: new TextEncoder().encode(text), catalogue: result.data, version: await sha256Hex(text) }
}

export type Assets = { fetch(request: Request): Promise<Response> }

export async function readCatalogueFile(assets: Assets): Promise<CatalogueFile> {
  const response = await assets.fetch(new Request('https://localhost/Items.json'))
  if (!response.ok) throw new Error(`Failed to fetch products: /Items.json responded with ${response.status}`)
  return parseCatalogueFile(await response.text())
}
