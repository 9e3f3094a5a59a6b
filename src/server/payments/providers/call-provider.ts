import { parseJson } from '#server/platform/http/parse-json.ts'

export type ProviderResponse = { status: number; body: unknown } | { failure: string }

type ProviderRequest = {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  json?: unknown
  timeoutMs: number
}

/** Never rejects. A `failure`, such as a timeout or a broken connection, doesn't tell whether the provider acted. */
export async function callProvider({
  url,
  method = 'POST',
  headers = {},
  json,
  timeoutMs,
}: ProviderRequest): Promise<ProviderResponse> {
  try {
    const response = await fetch(url, {
      method,
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    return { status: response.status, body: parseJson(await response.text()) }
  } catch (error) {
    return { failure: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  }
}

const REQUEST_TIMEOUT = 408
/**
 * The statuses that mean the provider didn't process the request: 503, and Cloudflare's for a server that it can't
 * reach or verify, such as 521 (web server is down).
 */
const UNDELIVERED_HTTP_STATUSES: readonly number[] = [503, 521, 523, 525, 526, 530]

export function isRejectedStatus(status: number): boolean {
  return (
    (status >= 400 && status < 500 && status !== REQUEST_TIMEOUT) ||
    UNDELIVERED_HTTP_STATUSES.includes(status)
  )
}

/** Resolves to undefined if `work` takes longer than `ms`. */
export async function withTimeout<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms)
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
