import { href } from '#shared/routes.ts'

export function NoScriptNotice({ what, why }: { what: string; why: string }) {
  return (
    <noscript>
      <div className="notice">
        <h2>{`${what} needs JavaScript`}</h2>
        <p>
          {`${why} Please turn on JavaScript, or message us what you’d like and we’ll take your order that way.`}
        </p>
        <a className="button" href={href('contact')}>
          Email us
        </a>
      </div>
    </noscript>
  )
}
