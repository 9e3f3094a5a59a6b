import { shop } from './shop.ts'

type Page = {
  path: string
  access: 'public' | 'signed-in'
  title: string
}

export const LOGOUT_PATH = '/logout'

export const VERIFY_EMAIL_PATH = '/verify-email'

export const SERVICE_WORKER_PATH = '/sw.js'

export const STOCK_ALERTS_PATH = '/back-in-stock'
export const STOCK_ALERTS_UNSUBSCRIBE_PATH = '/back-in-stock/end'

export const SEARCH_FIELD_ID = 'q'

/** The table of pages (§ 2). */
export const routes = {
  home: {
    path: '/',
    access: 'public',
    title: `${shop.name} · ${shop.tagline}`,
  },
  shop: {
    path: '/products',
    access: 'public',
    title: 'Shop',
  },
  product: {
    path: '/product/:id',
    access: 'public',
    title: 'Product',
  },
  about: {
    path: '/about',
    access: 'public',
    title: 'Our Story',
  },
  contact: {
    path: '/contact',
    access: 'public',
    title: 'Contact',
  },
  buy: {
    path: '/buy/:lines',
    access: 'public',
    title: 'Your Items',
  },
  cart: {
    path: '/cart',
    access: 'signed-in',
    title: 'Shopping Cart',
  },
  checkout: {
    path: '/checkout',
    access: 'signed-in',
    title: 'Checkout',
  },
  dashboard: {
    path: '/dashboard',
    access: 'signed-in',
    title: 'Dashboard',
  },
  accountDetails: {
    path: '/dashboard/details',
    access: 'signed-in',
    title: 'Your details',
  },
  accountPassword: {
    path: '/dashboard/password',
    access: 'signed-in',
    title: 'Your password',
  },
  accountDevices: {
    path: '/dashboard/devices',
    access: 'signed-in',
    title: 'Your devices',
  },
  accountData: {
    path: '/dashboard/data',
    access: 'signed-in',
    title: 'Your data',
  },
  login: {
    path: '/login',
    access: 'public',
    title: 'Log In',
  },
  register: {
    path: '/register',
    access: 'public',
    title: 'Register',
  },
  forgotPassword: {
    path: '/forgot-password',
    access: 'public',
    title: 'Reset Password',
  },
  resetPassword: {
    path: '/reset-password',
    access: 'public',
    title: 'Choose a New Password',
  },
  findOrder: {
    path: '/order',
    access: 'public',
    title: 'Track your order',
  },
  order: {
    path: '/order/:number',
    access: 'public',
    title: 'Your order',
  },
} as const satisfies Record<string, Page>

export const notFoundPage = {
  access: 'public',
  title: 'Page Not Found',
} as const satisfies Omit<Page, 'path'>

export type RouteName = keyof typeof routes
export type PageName = RouteName | 'notFound'

type ParamsOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? { [K in Name]: string | number } & ParamsOf<Tail>
    : { [K in Rest]: string | number }
  : unknown

type HrefArguments<Name extends RouteName> =
  unknown extends ParamsOf<(typeof routes)[Name]['path']>
    ? [params?: Record<string, never>, search?: Record<string, string>]
    : [params: ParamsOf<(typeof routes)[Name]['path']>, search?: Record<string, string>]

export function href<Name extends RouteName>(name: Name, ...[params, search]: HrefArguments<Name>): string {
  const values: Record<string, unknown> = params ?? {}
  const path = buildPath(name, (key) => encodeURIComponent(String(values[key])))
  if (!search) return path
  const query = new URLSearchParams(search).toString()
  return query ? `${path}?${query}` : path
}

function buildPath(name: RouteName, getParam: (param: string) => unknown): string {
  return routes[name].path.replace(/:(\w+)/g, (_, param: string) => `${getParam(param)}`)
}

export type RouteMatch = {
  name: PageName
  params: Record<string, string>
  /** The page's own path, if the requested one differs only by a trailing slash or letter case (§ 2). */
  redirectTo?: string
}

const matchers = (Object.keys(routes) as RouteName[]).map((name) => ({
  name,
  pattern: new RegExp(`^${routes[name].path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`, 'i'),
}))

/** Returns `notFound` for a path outside the table (§ 2), and with `redirectTo` for a path that needs a redirect. */
export function matchRoute(pathname: string): RouteMatch {
  for (const { name, pattern } of matchers) {
    const match = pattern.exec(pathname)
    if (!match) continue
    const params = { ...match.groups }
    const path = buildPath(name, (param) => params[param])
    return path === pathname ? { name, params } : { name: 'notFound', params: {}, redirectTo: path }
  }
  return { name: 'notFound', params: {} }
}

export function getPageDefinition(name: PageName): Omit<Page, 'path'> {
  return name === 'notFound' ? notFoundPage : routes[name]
}

/** Excludes order pages and cart links, although they open without logging in. */
export function isPublicPage(name: PageName): boolean {
  return name !== 'order' && name !== 'buy' && getPageDefinition(name).access === 'public'
}

export function formatDocumentTitle(title: string): string {
  return title.includes(shop.name) ? title : `${title} · ${shop.name}`
}
