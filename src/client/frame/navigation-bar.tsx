import { useAtomValue } from 'jotai'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { viewAtom } from '../router/view.ts'
import { sessionAtom } from '../state/session.ts'
import { CartLink } from './cart-link.tsx'
import { LogoutButton } from './logout-button.tsx'
import { useMenu } from './use-menu.ts'

const MENU_ID = 'menu'

const links = [
  { label: 'Home', to: href('home') },
  { label: 'Shop', to: href('shop') },
  { label: 'Story', to: href('about') },
  { label: 'Contact', to: href('contact') },
]
const memberLinks = [...links, { label: 'Dashboard', to: href('dashboard') }]

/** The bar on top of every page, with its menu on small screens (§ 2). */
export function NavigationBar() {
  const view = useAtomValue(viewAtom)
  const session = useAtomValue(sessionAtom)
  const isMember = session.status !== 'signed-out'
  const { menu, isOpen, onToggle } = useMenu(view)
  const here = view?.place.pathname

  return (
    <header className="bar">
      <div className="bar__row">
        <a className="bar__brand" href={href('home')}>
          <span className="bar__mark" />
          {shop.name}
        </a>
        <nav id={MENU_ID} className="menu" aria-label="Main" popover="auto" ref={menu} onToggle={onToggle}>
          <ul className="menu__links">
            {(isMember ? memberLinks : links).map(({ label, to }) => (
              <li key={to}>
                <a className="menu__link" href={to} aria-current={to === here ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
          <div className="menu__account">
            {isMember ? (
              <>
                <a className="menu__link menu__name" href={href('dashboard')}>
                  {session.user?.name || 'Profile'}
                </a>
                <LogoutButton />
              </>
            ) : (
              <>
                <a className="button button--quiet" href={href('register')}>
                  Register
                </a>
                <a className="button" href={href('login')}>
                  Login
                </a>
              </>
            )}
          </div>
        </nav>
        <CartLink isHere={here === href('cart')} />
        <button
          type="button"
          className="bar__toggle"
          popoverTarget={MENU_ID}
          aria-label={isOpen ? 'Close menu' : 'Open menu'}
        >
          <span className="bar__toggle-icon" />
        </button>
      </div>
    </header>
  )
}
