import { href } from '#shared/routes.ts'

export function NoScriptNotice({ what, why }: { what: string; why: string }) {
  return (
    <noscript>
      <div className="notice">
        <h2>{`${what} needs JavaScript`}</h2>
        <p>
          {`${why} Please turn on JavaScript, or tell us what you’d like and we’ll take your order by email.`}
        </p>
        <a className="button" href={href('contact')}>
          Contact us
        </a>
      </div>
    </noscript>
  )
}
