import { useAtomValue, useSetAtom } from 'jotai'
import { requestedPageAtom, userAtom } from '#client/app/session.ts'
import { href } from '#shared/routes.ts'

/** Doesn't reveal whether the order exists. */
export function UnknownOrder({ number }: { number: string }) {
  const user = useAtomValue(userAtom)
  const setRequestedPage = useSetAtom(requestedPageAtom)
  return (
    <div className="not-found notice">
      <img src="/images/lost.svg" alt="" width="400" height="300" />
      <h1>We can’t show this order</h1>
      {user ? (
        <p>{`We can’t find this order for ${user.email}. If you placed it with another email address, we can send its link there.`}</p>
      ) : (
        <>
          <p>Log in to see your order, or get its link by email.</p>
          <a
            className="button"
            href={href('login')}
            onClick={() => setRequestedPage(href('order', { number }))}
          >
            Log in
          </a>
        </>
      )}
      <a className="button button--quiet" href={href('findOrder', {}, { number })}>
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
