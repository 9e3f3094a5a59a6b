import { useAtomValue, useSetAtom } from 'jotai'
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { announcementAtom, viewAtom } from '#client/app/router/page.ts'
import { MAIN_ID } from '#client/app/router/scroll-and-focus.ts'
import { startSessionAtom } from '#client/app/session.ts'
import { toastLibraryAtom } from '#client/app/toasts.ts'
import { hasOpenOrderAtom } from '#client/checkout/has-open-order.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { FlashMessage } from './flash-message.tsx'
import { NavigationBar } from './navigation-bar.tsx'

const OrderNotice = lazy(() =>
  import('#client/checkout/order-notice.tsx').then(
    (module) => ({ default: module.OrderNotice }),
    () => ({ default: () => null }),
  ),
)

export function Layout({ children }: { children: ReactNode }) {
  const view = useAtomValue(viewAtom)
  const hasOpenOrder = useAtomValue(hasOpenOrderAtom)
  const name = view?.location.name
  useLayoutEffect(() => view?.onRendered?.(), [view])

  // The stored session may differ from the server's markup, so it is read only after hydration.
  const startSession = useSetAtom(startSessionAtom)
  useEffect(startSession, [startSession])

  useEffect(() => {
    const { dataset } = document.documentElement
    dataset.hydrated = 'true'
    delete dataset.waiting
  }, [])

  return (
    <>
      <a className="skip-link" href={`#${MAIN_ID}`}>
        Skip to content
      </a>
      <NavigationBar>
        <div className={name === 'checkout' || name === 'order' ? undefined : 'bar__message'} role="status">
          {hasOpenOrder && (
            <Suspense>
              <OrderNotice />
            </Suspense>
          )}
        </div>
        <FlashMessage />
      </NavigationBar>
      <main id={MAIN_ID} tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <FooterNav />
      <ToastArea />
      <Announcer />
    </>
  )
}

function Announcer() {
  return (
    <p className="visually-hidden" role="status">
      {useAtomValue(announcementAtom)}
    </p>
  )
}

const FOOTER_LINKS = [
  ['Delivery', `${href('contact')}#delivery`],
  ['Track your order', href('findOrder')],
  ['Returns', `${href('contact')}#returns`],
  ['Sizes', `${href('about')}#sizes`],
  ['Privacy', `${href('about')}#privacy`],
]

function Footer() {
  const { year } = useAtomValue(bootAtom)
  return (
    <footer className="footer">
      <hr className="band" />
      <div className="footer__row">
        <p>{`© ${year} ${shop.name}, ${shop.city}. All rights reserved.`}</p>
        <p>{`Designed by ${shop.designer}`}</p>
      </div>
    </footer>
  )
}

function FooterNav() {
  return (
    <nav className="footer-nav" aria-label="Help">
      <ul className="footer__row">
        {FOOTER_LINKS.map(([label, url]) => (
          <li key={label}>
            <a href={url}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function ToastArea() {
  const listRef = useRef<HTMLUListElement>(null)
  const library = useAtomValue(toastLibraryAtom)
  return (
    <ul className="toast-area" aria-live="polite" ref={listRef}>
      {library && <library.ToastList listRef={listRef} />}
    </ul>
  )
}
