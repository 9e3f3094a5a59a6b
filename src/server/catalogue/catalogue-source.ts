import { sha256Hex } from '#server/platform/crypto.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { catalogueProblem, catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'

/** Where pages and orders get the catalogue. Once read, it is cached in the isolate's memory. */
export type CatalogueSource = {
  /** The catalogue, if it is in memory. */
  current(): Catalogue | undefined
  /** Changes with the catalogue in memory; undefined while there is none. */
  version(): string | undefined
  /** Reads it unless it is in memory; rejects when the file is missing or malformed, and reads again at the next call. */
  load(): Promise<Catalogue>
}

/** A version of the catalogue: `Items.json` as it is served, what is in it, and its SHA-256 in hexadecimal. */
export type CatalogueFile = { bytes: Uint8Array<ArrayBuffer>; catalogue: Catalogue; version: string }

/** Parses the text of an `Items.json`. Throws an Error that names the item and the field that are broken. */
export async function parseCatalogueFile(text: string): Promise<CatalogueFile> {
  const file: unknown = JSON.parse(text)
  const result = catalogueSchema.safeParse(file)
  if (!result.success) throw new Error(`Items.json is invalid. ${catalogueProblem(file)}`)
  return { bytes: new TextEncoder().encode(text), catalogue: result.data, version: await sha256Hex(text) }
}

/** Whatever has the catalogue at `/Items.json`: the static files of the build, or the shop. */
export type Assets = { fetch(request: Request): Promise<Response> }

/** Reads and parses `/Items.json` (§ 7). Throws when it is missing or malformed. */
export async function readCatalogueFile(assets: Assets): Promise<CatalogueFile> {
  const response = await assets.fetch(new Request('https://localhost/Items.json'))
  if (!response.ok) throw new Error(`Failed to fetch products: /Items.json answered ${response.status}`)
  return parseCatalogueFile(await response.text())
}
