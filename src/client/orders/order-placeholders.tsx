import { useSetAtom } from 'jotai'
import { requestedPageAtom } from '#client/app/session.ts'
import { href } from '#shared/routes.ts'

export function UnknownOrder({ number }: { number: string }) {
  const setRequestedPage = useSetAtom(requestedPageAtom)
  return (
    <div className="not-found notice">
      <img src="/images/lost.svg" alt="" width="400" height="300" />
      <h1 className="not-found__number">404</h1>
      <p className="lead">{"Whoops! The page you're looking for seems to have vanished."}</p>
      <p>Looking for your order? Log in to see it here, or get its link by email.</p>
      <a className="button" href={href('login')} onClick={() => setRequestedPage(href('order', { number }))}>
        Log in
      </a>
      <a className="button button--quiet" href={href('findOrder')}>
        Email me the link
      </a>
      <a href={href('home')}>Return Home</a>
    </div>
  )
}

/** Shown in the service worker's shell, which is reloaded once the shop responds. */
export function OrderOffline() {
  return (
    <div className="notice">
      <h1>We can’t show your order offline</h1>
      <p>You’ll see it here when you reconnect.</p>
      <a className="button" href={href('home')}>
        Continue Shopping
      </a>
    </div>
  )
}

export function OrderLoading() {
  return (
    <div className="page">
      <div className="panel stack only-hydrating" role="status">
        <p>Loading...</p>
        <span className="line" aria-hidden="true" />
        <span className="line line--short" aria-hidden="true" />
      </div>
    </div>
  )
}
