import type { Catalogue } from '#shared/rules/catalogue.ts'
import { catalogueProblem, catalogueSchema } from '#shared/rules/catalogue-schema.ts'
import { dataSaverCatalogue } from '#shared/rules/catalogue-views.ts'
import { sha256Hex } from '../crypto.ts'

/** Where pages and orders get the catalogue. Once read, it is cached in the isolate's memory. */
export type CatalogueSource = {
  /** The catalogue, if it is in memory. */
  current(): Catalogue | undefined
  /** Changes with the catalogue in memory; undefined while there is none. */
  version(): string | undefined
  /** Reads it unless it is in memory; rejects when the file is missing or malformed, and reads again at the next call. */
  load(): Promise<Catalogue>
}

/**
 * A source that reads `/Items.json` from the static files (§ 7); its version is a digest of the file. Concurrent
 * requests each read it: workerd ties a pending read to the request that started it.
 */
export function catalogueFromAssets(assets: { fetch(request: Request): Promise<Response> }): CatalogueSource {
  let loaded: { catalogue: Catalogue; version: string } | undefined

  async function read(): Promise<Catalogue> {
    const response = await assets.fetch(new Request('https://localhost/Items.json'))
    if (!response.ok) throw new Error(`Failed to fetch products: /Items.json answered ${response.status}`)
    const text = await response.text()
    const file: unknown = JSON.parse(text)
    const result = catalogueSchema.safeParse(file)
    if (!result.success) throw new Error(`Items.json is broken. ${catalogueProblem(file)}`)
    loaded = { catalogue: result.data, version: await sha256Hex(text) }
    return result.data
  }

  return {
    current: () => loaded?.catalogue,
    version: () => loaded?.version,
    load: async () => loaded?.catalogue ?? (await read()),
  }
}

/** The same source with data-saver images, for visitors who save data. */
export function dataSaverSource({ current, version, load }: CatalogueSource): CatalogueSource {
  return {
    version,
    current() {
      const known = current()
      return known && dataSaverCatalogue(known)
    },
    load: async () => dataSaverCatalogue(await load()),
  }
}
