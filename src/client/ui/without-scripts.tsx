import { href } from '#shared/routes.ts'

/** Shown instead of what needs scripts, to visitors without them: why, and how to order otherwise. */
export function WithoutScripts({ what, why }: { what: string; why: string }) {
  return (
    <noscript>
      <div className="notice">
        <h2>{`${what} needs scripts`}</h2>
        <p>
          {`${why} Please allow scripts for this shop; or write to us what you would like, and we will take your order by message.`}
        </p>
        <a className="button" href={href('contact')}>
          Write to us
        </a>
      </div>
    </noscript>
  )
}
