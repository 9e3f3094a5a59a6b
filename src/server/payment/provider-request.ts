/** A provider's answer, its body undefined when it is not JSON; or why there is none. */
export type Answer = { status: number; body: unknown } | { failure: string }

type Ask = {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  timeoutMs: number
}

/**
 * One HTTP call to a provider. Never rejects: no answer in time and a broken connection are a `failure`, after which
 * nobody knows whether the provider acted.
 */
export async function ask({ url, method = 'POST', headers = {}, json, timeoutMs }: Ask): Promise<Answer> {
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
/** Overloaded; then Cloudflare's own answers to a Worker whose request did not reach the provider. */
const NOT_TAKEN: readonly number[] = [503, 521, 523, 525, 526, 530]

/** Whether a status says that the request was turned away before anything was done. */
export function isTurnedAway(status: number): boolean {
  return (status >= 400 && status < 500 && status !== REQUEST_TIMEOUT) || NOT_TAKEN.includes(status)
}

/** What `work` resolves to, or undefined when it takes longer. Rejects as it does. */
export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const { promise: tooLate, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms)
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
