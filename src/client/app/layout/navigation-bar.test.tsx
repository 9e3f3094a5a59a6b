import { createStore, Provider } from 'jotai'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { bootAtom } from '#client/app/boot.ts'
import type { CookieUser } from '#shared/boot.ts'
import { shop } from '#shared/shop.ts'
import { NavigationBar } from './navigation-bar.tsx'

function listBarLinks(cookieUser: CookieUser | null): string[] {
  const store = createStore()
  store.set(bootAtom, (boot) => ({ ...boot, cookieUser }))
  const html = renderToStaticMarkup(
    <Provider store={store}>
      <NavigationBar />
    </Provider>,
  )
  return [...html.matchAll(/<(?:a|button)[^>]*?(?:href="([^"]*)"[^>]*)?>(.*?)<\/(?:a|button)>/gs)]
    .map(([, href, content]) => `${content?.replace(/<[^>]*>/g, '')} ${href ?? ''}`.trim())
    .filter((text) => text && text !== `${shop.name} /`)
}

const PUBLIC_LINKS = ['Home /', 'Shop /products', 'Story /about', 'Contact /contact']
const SHOPPING_LINKS = ['Search /products#q', 'Cart /cart']

describe('the navigation bar', () => {
  it('links to Register, Login and the cart for a signed-out shopper', () => {
    expect(listBarLinks(null)).toEqual([
      ...PUBLIC_LINKS,
      'Register /register',
      'Login /login',
      ...SHOPPING_LINKS,
    ])
  })

  it('shows the dashboard, the user’s name and Logout to a signed-in shopper', () => {
    expect(listBarLinks({ name: 'Wanjiru', email: 'w@example.com' })).toEqual([
      ...PUBLIC_LINKS,
      'Dashboard /dashboard',
      'Wanjiru /dashboard',
      'Logout',
      ...SHOPPING_LINKS,
    ])
  })

  it('shows Profile for a user without a name', () => {
    expect(listBarLinks({ name: '', email: 'w@example.com' })).toContain('Profile /dashboard')
  })
})
