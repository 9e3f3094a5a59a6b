import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import type { ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import type { SessionCookie } from '#server/platform/auth/cookies.ts'
import type { PageHead } from '#server/platform/render/document.ts'
import type { Visitor } from '#shared/boot.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import type { PageData } from '#shared/page-data.ts'
import type { PageName } from '#shared/routes.ts'

/** The request for a page. */
export type PageRequest = {
  url: URL
  params: Record<string, string>
  /** Who the page is shown to, by the signed cookie alone; what reads private records authenticates `sessionCookie`. */
  visitor: Visitor | null
  sessionCookie: SessionCookie | null
  /** Who asks, for rate limits. */
  client: () => Promise<Client>
  catalogue: CatalogueSource
  /** The shop's public origin. */
  origin: string
  /** Records an error that leaves the page incomplete; the page is sent all the same, and not cached. */
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

/** Loads what a page is rendered from, with the services and the database in `ctx`. */
export type PageLoader<Name extends PageName> = (
  request: PageRequest,
  ctx: ServiceContext,
) => PageResult<Name> | Promise<PageResult<Name>>

/** A view of the catalogue: at once if both are, otherwise a promise; `failed` if the catalogue cannot be read (§ 8). */
export function catalogueView<View>(
  { catalogue, onFailure }: PageRequest,
  viewOf: (catalogue: Catalogue) => View | Promise<View>,
  failed: View,
): View | Promise<View> {
  const known = catalogue.current()
  if (known) return viewOf(known)
  return catalogue.load().then(viewOf, (error: unknown) => {
    onFailure(error)
    return failed
  })
}
