import { shop } from './shop.ts'

export type Page = {
  path: string
  needsLogin?: true
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
    title: `${shop.name} · ${shop.tagline}`,
  },
  shop: {
    path: '/products',
    title: 'Shop',
  },
  product: {
    path: '/product/:id',
    title: 'Product',
  },
  about: {
    path: '/about',
    title: 'Our Story',
  },
  contact: {
    path: '/contact',
    title: 'Contact',
  },
  buy: {
    path: '/buy/:lines',
    title: 'Your Items',
  },
  cart: {
    path: '/cart',
    needsLogin: true,
    title: 'Shopping Cart',
  },
  checkout: {
    path: '/checkout',
    needsLogin: true,
    title: 'Checkout',
  },
  dashboard: {
    path: '/dashboard',
    needsLogin: true,
    title: 'Dashboard',
  },
  accountDetails: {
    path: '/dashboard/details',
    needsLogin: true,
    title: 'Your details',
  },
  accountPassword: {
    path: '/dashboard/password',
    needsLogin: true,
    title: 'Your password',
  },
  accountDevices: {
    path: '/dashboard/devices',
    needsLogin: true,
    title: 'Your devices',
  },
  accountData: {
    path: '/dashboard/data',
    needsLogin: true,
    title: 'Your data',
  },
  login: {
    path: '/login',
    title: 'Log In',
  },
  register: {
    path: '/register',
    title: 'Register',
  },
  forgotPassword: {
    path: '/forgot-password',
    title: 'Reset Password',
  },
  resetPassword: {
    path: '/reset-password',
    title: 'Choose a New Password',
  },
  findOrder: {
    path: '/order',
    title: 'Track your order',
  },
  order: {
    path: '/order/:number',
    title: 'Your order',
  },
} as const satisfies Record<string, Page>

export const notFoundPage = {
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
  return name !== 'order' && name !== 'buy' && !getPageDefinition(name).needsLogin
}

export function formatDocumentTitle(title: string): string {
  return title.includes(shop.name) ? title : `${title} · ${shop.name}`
}
