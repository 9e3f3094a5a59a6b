import type { ReactNode } from 'react'
import { getPageDefinition, href, type RouteName } from '#shared/routes.ts'

const SECTIONS = [
  ['accountDetails', 'Details'],
  ['accountPassword', 'Password'],
  ['accountDevices', 'Devices'],
  ['accountData', 'Your data'],
] as const satisfies [RouteName, string][]
export type AccountSection = (typeof SECTIONS)[number][0]

export function AccountLinks({ current }: { current?: AccountSection }) {
  return (
    <ul className="account-links">
      {SECTIONS.map(([name, label]) => (
        <li key={name}>
          <a className="chip" href={href(name)} aria-current={name === current ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}

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
        <a href={href('dashboard')}>Back to dashboard</a>
        <AccountLinks current={name} />
      </nav>
      <div className="stack">
        <h1>{getPageDefinition(name).title}</h1>
        <p className="lead">{intro}</p>
        {children}
      </div>
    </div>
  )
}
