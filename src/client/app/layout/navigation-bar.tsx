import { useAtomValue, useSetAtom, useStore } from 'jotai'
import { type FormEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { navigate, type View, viewAtom } from '#client/app/router/page.ts'
import { logOutAtom, sessionAtom } from '#client/app/session.ts'
import { onPageRestored } from '#client/app/wait.ts'
import { cartLineCountAtom } from '#client/cart/stored-cart.ts'
import { getPageDefinition, href, LOGOUT_PATH, SEARCH_FIELD_ID } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

const MENU_ID = 'menu'
/** Must match the breakpoint in layout.css. */
const WIDE_SCREEN = '(min-width: 60rem)'

const publicLinks = [
  { label: 'Home', to: href('home') },
  { label: 'Shop', to: href('shop') },
  { label: 'Story', to: href('about') },
  { label: 'Contact', to: href('contact') },
]
const signedInLinks = [...publicLinks, { label: 'Dashboard', to: href('dashboard') }]

/** The children are banners. CSS hides a banner that follows another one. */
export function NavigationBar({ children }: { children?: ReactNode }) {
  const view = useAtomValue(viewAtom)
  const session = useAtomValue(sessionAtom)
  const isSignedIn = session.status !== 'signed-out'
  const { menuRef, isOpen, handlers } = useMenu(view)
  const pathname = view?.location.pathname

  return (
    <header className="bar">
      <div className="bar__row">
        <a className="bar__brand" href={href('home')}>
          <span className="bar__mark" />
          {shop.name}
        </a>
        <nav id={MENU_ID} className="menu" aria-label="Main" popover="auto" ref={menuRef} {...handlers}>
          <ul className="menu__links">
            {(isSignedIn ? signedInLinks : publicLinks).map(({ label, to }) => (
              <li key={to}>
                <a className="menu__link" href={to} aria-current={to === pathname ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
          <div className="menu__account">
            {isSignedIn ? (
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
        <a
          className="icon-button magnifier"
          href={`${pathname === href('shop') ? '' : href('shop')}#${SEARCH_FIELD_ID}`}
        >
          <span className="visually-hidden">Search</span>
        </a>
        <CartLink isCurrent={pathname === href('cart')} />
        <button
          type="button"
          className="icon-button bar__toggle"
          popoverTarget={MENU_ID}
          aria-label={isOpen ? 'Close menu' : 'Open menu'}
        >
          <span className="bar__toggle-icon" />
        </button>
      </div>
      {children}
    </header>
  )
}

function CartLink({ isCurrent }: { isCurrent: boolean }) {
  const lines = useAtomValue(cartLineCountAtom)
  return (
    <a className="bar__cart" href={href('cart')} aria-current={isCurrent ? 'page' : undefined}>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path d="M3 10h18l-2 10.5H5zM7.5 10 12 3l4.5 7" />
        <path className="bar__cart-weave" d="M4.5 14h15M5 17.4h14" />
      </svg>
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

/** The form works without JavaScript (§ 4). On pages that need a login, the route guard redirects after the logout. */
function LogoutButton() {
  const store = useStore()
  const logOut = useSetAtom(logOutAtom)
  const [isBusy, setIsBusy] = useState(false)

  const submitLogout = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    const isLoggedOut = await logOut()
    setIsBusy(false)
    const page = store.get(viewAtom)?.location.name
    if (!isLoggedOut || !page || getPageDefinition(page).needsLogin) return
    if (page !== 'home') navigate(href('home'))
  }

  return (
    <form method="post" action={LOGOUT_PATH} onSubmit={submitLogout}>
      <button type="submit" className="button button--quiet" disabled={isBusy}>
        Logout
      </button>
    </form>
  )
}

/** Locks scrolling while the menu is open (§ 2), and closes it in cases that the Popover API doesn't cover. */
function useMenu(view: View | null) {
  const menuRef = useRef<HTMLElement>(null)
  const [isOpen, setIsOpen] = useState(false)

  // The shopper may have opened the menu before hydration.
  useEffect(() => setIsOpen(menuRef.current?.matches('[popover]:popover-open') ?? false), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new view closes the menu, but hydration doesn't
  useEffect(() => () => menuRef.current?.hidePopover?.(), [view])
  useEffect(() => onPageRestored(() => menuRef.current?.hidePopover?.()), [])

  useEffect(() => {
    if (!isOpen) return
    const close = () => menuRef.current?.hidePopover()
    const closeWhenLeft = ({ target }: FocusEvent) => {
      if (target instanceof Element && !target.closest('header')) close()
    }
    const wide = matchMedia(WIDE_SCREEN)
    setScrollLock(true)
    wide.addEventListener('change', close)
    document.addEventListener('focusin', closeWhenLeft)
    return () => {
      setScrollLock(false)
      wide.removeEventListener('change', close)
      document.removeEventListener('focusin', closeWhenLeft)
    }
  }, [isOpen])

  const handlers = {
    onToggle: ({ newState }: { newState: string }) => setIsOpen(newState === 'open'),
    // The bar shows that the page is loading, so the menu doesn't stay open until it has loaded.
    onClick({ target }: MouseEvent) {
      if (target instanceof Element && target.closest('a')) menuRef.current?.hidePopover?.()
    },
  }
  return { menuRef, isOpen, handlers }
}

/** The `--with-scrollbar` class reserves the scrollbar's width, which prevents a layout shift. */
function setScrollLock(isLocked: boolean): void {
  const root = document.documentElement
  const hasScrollbar = window.innerWidth > root.clientWidth
  root.classList.toggle('is-locked--with-scrollbar', isLocked && hasScrollbar)
  root.classList.toggle('is-locked', isLocked)
}
