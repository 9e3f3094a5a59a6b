import type { User } from '#shared/contract/auth.ts'
import type { SessionUser } from './sessions.ts'

/** The user as the browser gets it (§ 3). Until an order has told the first and last name, they come from the name. */
export function userOf(user: SessionUser): User {
  const { name, email } = user
  const [first = '', ...rest] = name.trim().split(/\s+/)
  const known = {
    firstName: user.firstName ?? first,
    lastName: user.lastName ?? rest.join(' '),
    address: user.address,
    address2: user.address2,
    country: user.country,
    state: user.state,
    zip: user.zip,
  }
  return { name, email, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value)) }
}
