import type { Device, LastOrder, User } from '#shared/accounts/contract.ts'
import type { ResolvedCartLink } from '#shared/cart/cart-link.ts'
import type { DashboardView, ProductView } from '#shared/catalogue/catalogue.ts'
import type { ShopView } from '#shared/catalogue/shop-filter.ts'
import type { AboutView, ContactTexts } from '#shared/content/content.ts'
import type { Order, OrderView } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import type { ErrorCode } from './errors.ts'
import type { PageName } from './routes.ts'

export type FormResult = {
  /** The values that the form shows again, by field. They never contain a password. */
  values: Readonly<Record<string, string>>
  outcome:
    | { kind: 'done' }
    | {
        kind: 'failed'
        code: ErrorCode
        message: string
        errors: Readonly<Record<string, string>>
      }
}

/** Null if the URL names no order of the user, or the order couldn't be read. */
export type CheckoutView = { order: Order; payment: PaymentState; posted: FormResult | null } | null

/** `posted` is the result of a payment or return form that was posted without JavaScript and failed. */
export type OrderPageView = OrderView & { posted?: FormResult }

export type AccountDetailsView = { user: User | null; lastOrder: LastOrder | null; posted: FormResult | null }

export type ContactView = { texts: ContactTexts; posted: FormResult | null }

export type AccountDevicesView = { devices: readonly Device[] | null; posted: FormResult | null }

type PagesWithData = {
  shop: ShopView
  product: ProductView
  buy: ResolvedCartLink
  checkout: CheckoutView
  dashboard: DashboardView
  accountDetails: AccountDetailsView
  accountPassword: FormResult | null
  accountDevices: AccountDevicesView
  accountData: FormResult | null
  about: AboutView
  contact: ContactView
  login: FormResult | null
  register: FormResult | null
  forgotPassword: FormResult | null
  resetPassword: FormResult | null
  findOrder: FormResult | null
  order: OrderPageView | null
}

export type PageData = {
  [Name in PageName]: Name extends keyof PagesWithData ? PagesWithData[Name] : null
}
