/** A provider's answer, or why there is none. */
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
 * One HTTP call to a provider. Never rejects: no answer in time, a broken connection and a body that is not JSON are
 * a `failure`, after which nobody knows whether the provider acted.
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
    return { status: response.status, body: JSON.parse(await response.text()) }
  } catch (error) {
    return { failure: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  }
}
