import type { ErrorCode } from './errors.ts'
import type { Catalogue, Category, Product } from './rules/catalogue.ts'
import type { ContactForm } from './rules/contact-form.ts'
import type { Sort } from './rules/search-query.ts'

/** What a card, the carousel and the cart need of a product. */
export type ProductCard = Pick<Product, 'id' | 'title' | 'description' | 'price' | 'image'>

/** A page of the Shop's products, or several in a row, under the chosen filter; `failed` when the catalogue could not be read (§ 8). */
export type ShopView = {
  category: Category
  /** The words searched for; empty without any. */
  query: string
  sort: Sort
  products: readonly ProductCard[]
  /** How many there are on all pages. */
  count: number
  /** The first page that is shown, and the last: the same, until more is asked for. */
  from: number
  page: number
  pages: number
  failed: boolean
}

/** A product and its neighbours; null when the id names none, `failed` when the catalogue could not be read (§ 8). */
export type ProductView = { product: Product | null; related: readonly ProductCard[]; failed: boolean }

/** The dashboard's choice (§ 7). */
export type DashboardView = { featured: Catalogue; failed: boolean }

/** How the server answered the contact form when it was posted without scripts; null for a page that was just opened. */
export type ContactView = { form: ContactForm; isSent: boolean; error?: string } | null

/** What came of a form that was posted to its page, as browsers do before (or without) its script. */
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

/** What each page is rendered from, besides the boot data and the browser's own state. */
export type PageData = {
  home: null
  shop: ShopView
  product: ProductView
  about: null
  contact: ContactView
  cart: null
  checkout: null
  dashboard: DashboardView
  login: FormResult | null
  register: FormResult | null
  forgotPassword: FormResult | null
  resetPassword: FormResult | null
  notFound: null
}
