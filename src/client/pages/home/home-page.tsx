import type { PageModule } from '../../router/page.ts'

function HomePage() {
  return <h1>Home</h1>
}

export const page: PageModule<'home'> = { Page: HomePage, load: () => null }
