import { href } from '#shared/routes.ts'

export function NoScriptNotice({ feature, explanation }: { feature: string; explanation: string }) {
  return (
    <noscript>
      <div className="notice">
        <h2>{`${feature} needs JavaScript`}</h2>
        <p>
          {`${explanation} Please turn on JavaScript, or tell us what you’d like and we’ll take your order by email.`}
        </p>
        <a className="button" href={href('contact')}>
          Contact us
        </a>
      </div>
    </noscript>
  )
}
