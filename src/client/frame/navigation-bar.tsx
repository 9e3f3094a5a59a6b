import { useAtomValue } from 'jotai'
import { useEffect, useState } from 'react'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { viewAtom } from '../router/view.ts'
import { cartLineCountAtom } from '../state/cart.ts'
import { userAtom } from '../state/session.ts'

const links = [
  { label: 'Home', to: href('home') },
  { label: 'Shop', to: href('shop') },
  { label: 'Story', to: href('about') },
  { label: 'Contact', to: href('contact') },
]

/** The bar on top of every page, with its menu on small screens (§ 2). */
export function NavigationBar() {
  const [isOpen, setIsOpen] = useState(false)
  const view = useAtomValue(viewAtom)
  const user = useAtomValue(userAtom)
  const here = view?.place.pathname

  // A route change closes the menu.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new view
  useEffect(() => setIsOpen(false), [view])

  useEffect(() => {
    document.documentElement.classList.toggle('is-locked', isOpen)
    if (!isOpen) return
    const closeOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && setIsOpen(false)
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [isOpen])

  return (
    <header className="bar">
      <a className="bar__brand" href={href('home')}>
        <img src="/images/mark.svg" alt="" width="32" height="32" />
        {shop.name}
      </a>
      <button
        type="button"
        className="bar__toggle"
        aria-expanded={isOpen}
        aria-controls="menu"
        aria-label={isOpen ? 'Close menu' : 'Open menu'}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="bar__toggle-icon" />
      </button>
      <nav id="menu" className={isOpen ? 'menu menu--open' : 'menu'} aria-label="Main">
        <ul className="menu__links">
          {links.map(({ label, to }) => (
            <li key={to}>
              <a href={to} aria-current={to === here ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
          {user && (
            <li>
              <a href={href('dashboard')} aria-current={href('dashboard') === here ? 'page' : undefined}>
                Dashboard
              </a>
            </li>
          )}
        </ul>
        {user ? (
          <div className="menu__account">
            <a href={href('dashboard')}>{user.name || 'Profile'}</a>
            <button type="button" className="button button--quiet">
              Logout
            </button>
          </div>
        ) : (
          <div className="menu__account">
            <a className="button button--quiet" href={href('register')}>
              Register
            </a>
            <a className="button" href={href('login')}>
              Login
            </a>
          </div>
        )}
      </nav>
      <CartLink />
    </header>
  )
}

/** The way to the cart, with the number of its lines when there are any (§ 2). */
function CartLink() {
  const lines = useAtomValue(cartLineCountAtom)
  return (
    <a className="bar__cart" href={href('cart')}>
      Cart
      {lines > 0 && (
        <span className="badge">
          {lines}
          <span className="visually-hidden">{lines === 1 ? ' item' : ' items'}</span>
        </span>
      )}
    </a>
  )
}
