import * as z from 'zod/mini'
import type { ServiceContext } from '#server/context.ts'
import type { Client } from './client.ts'

export const CHALLENGE_ORIGIN = 'https://challenges.cloudflare.com'
export const CHALLENGE_ACTION = 'login'
const VERIFICATION_TIMEOUT_MS = 5000

const verdictSchema = z.object({ success: z.boolean(), action: z.optional(z.string()) })

export async function isChallengeSolved(
  token: string | undefined,
  { ipAddress }: Client,
  { config }: ServiceContext,
): Promise<boolean> {
  const { TURNSTILE_SECRET_KEY } = config
  if (!token || !TURNSTILE_SECRET_KEY) return false
  const isIpv4 = ipAddress.includes('.')
  try {
    const response = await fetch(`${CHALLENGE_ORIGIN}/turnstile/v0/siteverify`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        secret: TURNSTILE_SECRET_KEY,
        response: token,
        ...(isIpv4 ? { remoteip: ipAddress } : {}),
      }),
      redirect: 'manual',
      signal: AbortSignal.timeout(VERIFICATION_TIMEOUT_MS),
    })
    const { success, action } = verdictSchema.parse(await response.json())
    return success && action === CHALLENGE_ACTION
  } catch {
    return false
  }
}
