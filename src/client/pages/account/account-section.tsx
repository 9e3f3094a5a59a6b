import type { ReactNode } from 'react'
import { href, pageOf } from '#shared/routes.ts'
import { AccountLinks, type AccountSection } from '../../ui/account-links.tsx'

/** A section of the account: the way to the others and back to the dashboard, its heading, and what it is for. */
export function AccountSectionPage({
  name,
  intro,
  children,
}: {
  name: AccountSection
  intro: string
  children: ReactNode
}) {
  return (
    <div className="page account">
      <nav className="account__nav" aria-label="Account">
        <a href={href('dashboard')}>Back to the dashboard</a>
        <AccountLinks here={name} />
      </nav>
      <div className="stack">
        <h1>{pageOf(name).title}</h1>
        <p className="lead">{intro}</p>
        {children}
      </div>
    </div>
  )
}
