import * as z from 'zod/mini'
import { sendOobCode } from '#shared/contract/password-reset.ts'
import { CLIENT_TYPE, PASSWORD_RESET } from '#shared/rules/password-reset.ts'
import type { Result } from '../../result.ts'

/** How long the service may take, in milliseconds. */
const DEADLINE_MS = 10_000
/** The message when the service sends none (§ 8). */
const NO_MESSAGE = 'Reset failed. Try again.'

const failureSchema = z.object({
  error: z.object({ message: z.string().check(z.minLength(1), z.maxLength(500)) }),
})

type Asked = { base: string; key: string | undefined; email: string }

/** Asks a third-party identity service for a reset mail; its message is handed on when it refuses (§ 8). Never rejects. */
export async function requestFromIdentityService({ base, key, email }: Asked): Promise<Result<null>> {
  const url = new URL(base.replace(/\/$/, '') + sendOobCode.path)
  if (key) url.searchParams.set('key', key)
  try {
    const response = await fetch(url, {
      method: sendOobCode.method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ requestType: PASSWORD_RESET, email, clientType: CLIENT_TYPE }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    if (response.ok) return { ok: true, data: null }
    const failure = failureSchema.safeParse(await response.json())
    const message = failure.success ? failure.data.error.message : NO_MESSAGE
    return { ok: false, error: { code: codeOf(response.status), message } }
  } catch {
    return { ok: false, error: { code: 'unavailable', message: NO_MESSAGE } }
  }
}

/** A 401 or 403 is about our key: in the browser it would end the shopper's session. */
function codeOf(status: number) {
  if (status === 429) return 'too_many_requests'
  return status >= 500 || status === 401 || status === 403 ? 'unavailable' : 'bad_request'
}
