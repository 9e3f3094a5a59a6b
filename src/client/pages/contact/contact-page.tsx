import type { PageModule } from '../../router/page.ts'

function ContactPage() {
  return <h1>Contact</h1>
}

export const page: PageModule<'contact'> = { Page: ContactPage, load: () => null }
