import type { Visitor } from '#shared/boot.ts'
import type { PageData } from '#shared/page-data.ts'
import type { PageName } from '#shared/routes.ts'
import type { CatalogueSource } from '../catalogue/source.ts'
import type { PageHead } from '../render/document.ts'

/** What a page may be made from. */
export type PageRequest = {
  url: URL
  params: Record<string, string>
  visitor: Visitor | null
  catalogue: CatalogueSource
  /** The shop's public origin. */
  origin: string
  /** Called with what kept the page from being whole; the page goes out all the same. */
  onFailure: (error: unknown) => void
}

/** What a page is rendered from. The status is known here, before the first byte. */
export type PageResult<Name extends PageName> = {
  status: 200 | 404
  /** A promise streams behind the page's skeleton. */
  data: PageData[Name] | Promise<PageData[Name]>
  /** What differs from the route table's title and description. */
  head?: Partial<PageHead>
}

export type PageLoader<Name extends PageName> = (
  request: PageRequest,
) => PageResult<Name> | Promise<PageResult<Name>>

/** A view of the catalogue: at once when it is in memory, else a promise; `failed` when it cannot be read (§ 8). */
export function catalogueView<View>(
  { catalogue, onFailure }: PageRequest,
  make: (catalogue: NonNullable<ReturnType<CatalogueSource['current']>>) => View,
  failed: View,
): View | Promise<View> {
  const known = catalogue.current()
  if (known) return make(known)
  return catalogue.load().then(make, (error: unknown) => {
    onFailure(error)
    return failed
  })
}
