import { buildPushPayload } from '@block65/webcrypto-web-push'
import type { Config } from '#server/env.ts'

export type PushDevice = { endpoint: string; p256dh: string; auth: string }
/** A later message replaces an earlier one with the same `tag`. */
export type PushMessage = { title: string; url: string; tag: string }
/** `gone`: the browser has unsubscribed. `failed`: the push can be retried. */
export type PushOutcome = 'sent' | 'gone' | 'failed'

export type PushSender = {
  publicKey: string
  send(device: PushDevice, message: PushMessage): Promise<PushOutcome>
}

const TTL_SECONDS = 86_400
const SEND_TIMEOUT_MS = 10_000
const GONE_STATUSES = [404, 410]
/**
 * Matches the hosts of known push services. Any other host is refused, because the browser chooses the endpoint (SSRF).
 */
const PUSH_HOST_PATTERN =
  /^(fcm\.googleapis\.com|updates\.push\.services\.mozilla\.com|([\w-]+\.)*push\.apple\.com|([\w-]+\.)*notify\.windows\.com)$/

export function isAllowedPushEndpoint(
  endpoint: string,
  { ENVIRONMENT }: Pick<Config, 'ENVIRONMENT'>,
): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, hostname, port } = new URL(endpoint)
  if (ENVIRONMENT === 'local' && hostname === '127.0.0.1') return true
  return protocol === 'https:' && port === '' && PUSH_HOST_PATTERN.test(hostname)
}

/** Sends Web Push messages (RFC 8291). Returns undefined without `VAPID_KEYS`. */
export function createPushSender(
  { VAPID_KEYS, OPERATOR_EMAIL }: Pick<Config, 'VAPID_KEYS' | 'OPERATOR_EMAIL'>,
  send: typeof fetch = (...args) => fetch(...args),
): PushSender | undefined {
  const [publicKey, privateKey] = VAPID_KEYS?.split('.') ?? []
  if (!publicKey || !privateKey) return undefined
  const vapid = { subject: `mailto:${OPERATOR_EMAIL}`, publicKey, privateKey }
  return {
    publicKey,
    async send({ endpoint, p256dh, auth }, message) {
      // The library accepts only https endpoints, but the sandbox's are http.
      const subscription = {
        endpoint: endpoint.replace(/^http:/, 'https:'),
        expirationTime: null,
        keys: { p256dh, auth },
      }
      try {
        const options = { ttl: TTL_SECONDS, urgency: 'high' } as const
        const payload = await buildPushPayload({ data: message, options }, subscription, vapid)
        const signal = AbortSignal.timeout(SEND_TIMEOUT_MS)
        const response = await send(endpoint, { ...payload, redirect: 'manual', signal })
        await response.body?.cancel()
        if (response.ok) return 'sent'
        return GONE_STATUSES.includes(response.status) ? 'gone' : 'failed'
      } catch {
        return 'failed'
      }
    },
  }
}
