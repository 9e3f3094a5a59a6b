import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import type { ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import type { SessionCookie } from '#server/platform/auth/cookies.ts'
import type { PageHead } from '#server/platform/render/document.ts'
import type { CookieUser } from '#shared/boot.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import type { PageData } from '#shared/page-data.ts'
import type { PageName } from '#shared/routes.ts'

export type PageRequest = {
  url: URL
  params: Record<string, string>
  /** The user in the signed cookie. Loaders that read private data must authenticate `sessionCookie`. */
  cookieUser: CookieUser | null
  sessionCookie: SessionCookie | null
  client: () => Promise<Client>
  catalogue: CatalogueSource
  origin: string
  /** After a failure, the page is still sent, but not cached. */
  onFailure: (error: unknown) => void
}

export type PageResult<Name extends PageName> = {
  status: 200 | 404
  /** If this is a promise, the page can start to stream before its data is read. */
  data: PageData[Name] | Promise<PageData[Name]>
  head?: Partial<PageHead>
  /** Omits from the data block what `restoreData` reads from the markup. */
  toBlock?: (data: PageData[Name]) => unknown
}

export type PageLoader<Name extends PageName> = (
  request: PageRequest,
  ctx: ServiceContext,
) => PageResult<Name> | Promise<PageResult<Name>>

/** Returns `failed` if the catalogue can't be read (§ 8). */
export function loadCatalogueView<View>(
  { catalogue, onFailure }: PageRequest,
  toView: (catalogue: Catalogue) => View | Promise<View>,
  failed: View,
): View | Promise<View> {
  const cached = catalogue.current()
  if (cached) return toView(cached)
  return catalogue.load().then(toView, (error: unknown) => {
    onFailure(error)
    return failed
  })
}
