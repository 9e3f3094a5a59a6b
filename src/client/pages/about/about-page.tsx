import type { PageModule } from '../../router/page.ts'

function AboutPage() {
  return <h1>About</h1>
}

export const page: PageModule<'about'> = { Page: AboutPage, load: () => null }
