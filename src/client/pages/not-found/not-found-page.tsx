import type { PageModule } from '../../router/page.ts'

function NotFoundPage() {
  return <h1>NotFound</h1>
}

export const page: PageModule<'notFound'> = { Page: NotFoundPage, load: () => null }
