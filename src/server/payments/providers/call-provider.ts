/** A provider's response, its body undefined when it is not JSON; or why there is none. */
export type ProviderResponse = { status: number; body: unknown } | { failure: string }

type ProviderRequest = {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  timeoutMs: number
}

/**
 * One HTTP call to a provider. Never rejects: a timeout and a broken connection are a `failure`, after which it is
 * unknown whether the provider acted.
 */
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
    return { status: response.status, body: parsed(await response.text()) }
  } catch (error) {
    return { failure: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const REQUEST_TIMEOUT = 408
/** Overloaded; then Cloudflare's own statuses for a Worker whose request did not reach the provider. */
const NOT_TAKEN: readonly number[] = [503, 521, 523, 525, 526, 530]

/** Whether a status says that the request was rejected before anything was done. */
export function isRejectedStatus(status: number): boolean {
  return (status >= 400 && status < 500 && status !== REQUEST_TIMEOUT) || NOT_TAKEN.includes(status)
}

/** What `work` resolves to, or undefined after `ms`. Rejects as `work` does. */
export async function withTimeout<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms)
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
