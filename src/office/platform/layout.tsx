import assets from 'virtual:client-assets'
import type { Context } from 'hono'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server.node'
import type { OfficeEnv } from '#office/context.ts'
import { countOpenTasks } from '#server/reports/open-tasks.ts'
import { colours } from '#shared/colours.ts'
import { shop } from '#shared/shop.ts'
import type { Actor } from '#shared/team/roles.ts'
import { NowMsContext } from './date-time.tsx'
import { mayUse } from './permissions.ts'
import { RoleContext } from './permitted.tsx'
import { type SectionName, sections } from './sections.ts'
import { SCRIPT_PATH, STYLESHEET_PATH } from './static-files.ts'

type PageFrame = {
  title: string
  section: SectionName
  notice?: ReactNode
  isError?: boolean
  children: ReactNode
}

export async function renderOfficePage(
  c: Context<OfficeEnv>,
  frame: PageFrame,
  status: 200 | 409 = 200,
): Promise<Response> {
  const counts = c.var.identity.role === 'owner' ? await countSectionBadges(c) : {}
  const page = (
    <RoleContext value={c.var.identity.role}>
      <NowMsContext value={c.var.nowMs}>
        <Document {...frame} identity={c.var.identity} counts={counts} />
      </NowMsContext>
    </RoleContext>
  )
  return c.html(`<!doctype html>${renderToStaticMarkup(page)}`, status)
}

async function countSectionBadges(c: Context<OfficeEnv>): Promise<DocumentProps['counts']> {
  const counts = await countOpenTasks(c.var.ownerContext())
  const { returnRequests, refundsNeedingAttention, stuckEmails, unassignedPayments } = counts
  const more = returnRequests + refundsNeedingAttention + stuckEmails + unassignedPayments
  return { messages: counts.unreadMessages, more }
}

type DocumentProps = PageFrame & {
  identity: Actor
  counts: Partial<Record<SectionName, number>>
}

function Document({ title, section, notice, isError = false, children, identity, counts }: DocumentProps) {
  const visibleSections = Object.entries(sections).filter(([, { path }]) =>
    mayUse(identity.role, `GET ${path}`),
  )
  return (
    <html lang="en">
      <DocumentHead title={title} />
      <body>
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <header className="bar">
          <a className="brand" href={sections.orders.path}>
            {shop.name} <span>office</span>
          </a>
          <span className="visitor">{identity.email}</span>
        </header>
        <nav className="tabs" aria-label="Sections">
          {visibleSections.map(([name, { path, label }]) => (
            <a key={name} href={path} {...(name === section ? { 'aria-current': 'page' as const } : {})}>
              {label}
              <Badge count={counts[name as SectionName] ?? 0} />
            </a>
          ))}
        </nav>
        <main id="content" tabIndex={-1}>
          {notice ? (
            <div
              className={isError ? 'banner banner--error' : 'banner banner--success'}
              role={isError ? 'alert' : 'status'}
            >
              {notice}
            </div>
          ) : null}
          {children}
        </main>
      </body>
    </html>
  )
}

function DocumentHead({ title }: { title: string }) {
  return (
    <head>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="robots" content="noindex, nofollow" />
      <meta name="theme-color" content={colours.cotton} />
      <title>{`${title} · ${shop.name} office`}</title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/icons/apple-touch-icon.png" />
      <link rel="manifest" href="/manifest.webmanifest" crossOrigin="use-credentials" />
      {assets.fonts.map((font) => (
        <link key={font} rel="preload" href={font} as="font" type="font/woff2" crossOrigin="" />
      ))}
      <link rel="stylesheet" href={STYLESHEET_PATH} />
      <script src={SCRIPT_PATH} defer />
    </head>
  )
}

export function Badge({ count }: { count: number }) {
  return count > 0 ? <span className="badge">{count}</span> : null
}

export function renderErrorPage(
  c: Context,
  status: 400 | 403 | 404 | 405 | 413 | 500 | 503,
  message: string,
): Response {
  const isSignedIn = c.get('identity') !== undefined
  const page = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{`${status} · ${shop.name} office`}</title>
        {isSignedIn ? <link rel="stylesheet" href={STYLESHEET_PATH} /> : null}
      </head>
      <body>
        <main>
          <h1>{status}</h1>
          <p>{message}</p>
          {isSignedIn ? (
            <p>
              <a className="button" href={sections.orders.path}>
                Go to orders
              </a>
            </p>
          ) : null}
        </main>
      </body>
    </html>
  )
  return c.html(`<!doctype html>${renderToStaticMarkup(page)}`, status)
}

type ConfirmationProps = {
  heading: string
  sentence: string
  action: string
  fields: Record<string, string>
  button: string
  back: string
}

export function Confirmation({ heading, sentence, action, fields, button, back }: ConfirmationProps) {
  return (
    <div className="panel confirmation">
      <h1>{heading}</h1>
      <p>{sentence}</p>
      <form className="actions" method="post" action={action}>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button className="button button--danger" type="submit">
          {button}
        </button>
        <a className="button button--quiet" href={back}>
          No, go back
        </a>
      </form>
    </div>
  )
}
