import type { Device, User } from '#shared/accounts/contract.ts'
import type { DashboardView, ProductView } from '#shared/catalogue/catalogue.ts'
import type { ShopView } from '#shared/catalogue/shop-filter.ts'
import type { Order, OrderView } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import type { ErrorCode } from './errors.ts'
import type { PageName } from './routes.ts'

/** The result of a form that was posted to its page, as browsers do before (or without) its script. */
export type FormResult = {
  /** What had been typed, by field, for the form to show again; never a password. */
  values: Readonly<Record<string, string>>
  outcome:
    | { kind: 'done' }
    | {
        kind: 'failed'
        code: ErrorCode
        message: string
        /** The fields at fault, with their messages. */
        errors: Readonly<Record<string, string>>
      }
}

/**
 * The order in checkout's address, the state of its payment, and what came of the posted form that pays it again; null
 * without an order, or for somebody else's.
 */
export type CheckoutView = { order: Order; payment: PaymentState; posted: FormResult | null } | null

/** What the account remembers, null where the server could not read it; and what came of the posted form. */
export type AccountDetailsView = { user: User | null; posted: FormResult | null }

/** Where the account is signed in, null where that could not be read; and what came of the posted form. */
export type AccountDevicesView = { devices: readonly Device[] | null; posted: FormResult | null }

type PagesWithData = {
  shop: ShopView
  product: ProductView
  checkout: CheckoutView
  dashboard: DashboardView
  accountDetails: AccountDetailsView
  accountPassword: FormResult | null
  accountDevices: AccountDevicesView
  accountData: FormResult | null
  contact: FormResult | null
  login: FormResult | null
  register: FormResult | null
  forgotPassword: FormResult | null
  resetPassword: FormResult | null
  findOrder: FormResult | null
  /** Null for whoever may not see it, and where there is none: the 404 page. */
  order: OrderView | null
}

/** What each page is rendered from, besides the boot data and the browser's own state; null for most. */
export type PageData = {
  [Name in PageName]: Name extends keyof PagesWithData ? PagesWithData[Name] : null
}
