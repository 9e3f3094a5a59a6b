import type { PageModule } from '../../router/page.ts'

function CheckoutPage() {
  return <h1>Checkout</h1>
}

export const page: PageModule<'checkout'> = { Page: CheckoutPage, load: () => null }
