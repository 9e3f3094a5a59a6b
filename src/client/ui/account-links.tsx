import { href, type RouteName } from '#shared/routes.ts'

/** The sections of the account, by the labels of their links. */
const SECTIONS = [
  ['accountDetails', 'Details'],
  ['accountPassword', 'Password'],
  ['accountDevices', 'Devices'],
  ['accountData', 'Your data'],
] as const satisfies [RouteName, string][]
export type AccountSection = (typeof SECTIONS)[number][0]

/** The links to the sections of the account; `here` is the one on the screen. */
export function AccountLinks({ here }: { here?: AccountSection }) {
  return (
    <ul className="account-links">
      {SECTIONS.map(([name, label]) => (
        <li key={name}>
          <a className="chip" href={href(name)} aria-current={name === here ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}
