import type { PageModule } from '../../router/page.ts'

function CartPage() {
  return <h1>Cart</h1>
}

export const page: PageModule<'cart'> = { Page: CartPage, load: () => null }
