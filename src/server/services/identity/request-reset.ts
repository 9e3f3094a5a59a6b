import { emailIdentity } from '#shared/rules/auth-forms.ts'
import type { Deps } from '../../deps.ts'
import { isWithinRateLimit } from '../../rate-limit.ts'
import { askThirdParty } from './ask-third-party.ts'
import { sendReset } from './send-reset.ts'

type RequestDeps = Pick<
  Deps,
  'config' | 'db' | 'clock' | 'randomBytes' | 'limits' | 'mailer' | 'log' | 'background'
>
type RequestInput = { email: string; address: string /** The shop's public origin. */; origin: string }

export type RequestOutcome =
  | { kind: 'sent' }
  | { kind: 'too-many' }
  /** By the third-party service, in its own words. */
  | { kind: 'refused'; code: 'bad_request' | 'too_many_requests' | 'unavailable'; message: string }

/** Has a reset mail sent: by the configured identity service, or by the shop itself (§ 7). */
export async function requestReset(
  { email, address, origin }: RequestInput,
  deps: RequestDeps,
): Promise<RequestOutcome> {
  const identity = emailIdentity(email)
  if (!(await isWithinRateLimit('reset mail', { address, account: identity }, deps.limits.attempts)))
    return { kind: 'too-many' }
  const { IDENTITY_BASE, IDENTITY_KEY } = deps.config
  if (IDENTITY_BASE) return askThirdParty({ base: IDENTITY_BASE, key: IDENTITY_KEY, email: identity })
  await sendReset({ identity, origin }, deps)
  return { kind: 'sent' }
}
