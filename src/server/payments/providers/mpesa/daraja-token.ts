import * as z from 'zod/mini'
import { callProvider, type ProviderResponse, withTimeout } from '#server/payments/providers/call-provider.ts'
import type { AccessToken } from '#server/payments/providers/provider.ts'
import type { DarajaSettings } from './settings.ts'

/** All isolates share the token, because issuing a new one invalidates the previous one. Neither method rejects. */
export type TokenStore = {
  readStored(): Promise<AccessToken | null>
  store(token: AccessToken): Promise<void>
}

export type DarajaContext = {
  clock: () => number
  tokens: TokenStore
  waitUntil: (work: Promise<unknown>) => void
}

type TokenResult = AccessToken | { failure: string }

const TOKEN_TIMEOUT_MS = 10_000
const TOKEN_MARGIN_MS = 60_000

const numberSchema = z.union([z.number(), z.pipe(z.string().check(z.regex(/^\d+$/)), z.transform(Number))])
const tokenSchema = z.object({ access_token: z.string().check(z.minLength(1)), expires_in: numberSchema })

export function createDarajaTokens(
  { base, consumerKey, consumerSecret }: DarajaSettings,
  { clock, tokens, waitUntil }: DarajaContext,
) {
  let latest: AccessToken | null = null
  let fetching: Promise<TokenResult> | undefined

  /** Joins a fetch that is under way, because a second token would invalidate the first one. */
  function fetchTokenOnce(): Promise<TokenResult> {
    if (fetching) return fetching
    const fetched = fetchToken().finally(() => {
      if (fetching === fetched) fetching = undefined
    })
    fetching = fetched
    // Other requests may still wait for this fetch after the request that started it has ended.
    waitUntil(fetched)
    return fetched
  }

  async function fetchToken(): Promise<TokenResult> {
    const response = await callProvider({
      url: `${base}/oauth/v1/generate?grant_type=client_credentials`,
      method: 'GET',
      headers: { Authorization: `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}` },
      timeoutMs: TOKEN_TIMEOUT_MS,
    })
    if ('failure' in response) return response
    const parsed = tokenSchema.safeParse(response.body)
    if (!parsed.success) return { failure: `No token: ${formatResponse(response)}` }
    const { access_token: value, expires_in } = parsed.data
    const token = { value, expiresAtMs: clock() + expires_in * 1000 }
    latest = token
    await tokens.store(token)
    return token
  }

  const ifUsable = (token: AccessToken | null) =>
    token && token.expiresAtMs - TOKEN_MARGIN_MS > clock() ? token : undefined

  async function replaceToken(rejected: AccessToken): Promise<TokenResult> {
    const storedToken = ifUsable(await tokens.readStored())
    return storedToken && storedToken.value !== rejected.value ? storedToken : fetchTokenOnce()
  }

  return {
    async get({
      storedToken,
      rejected,
      withinMs = TOKEN_TIMEOUT_MS,
    }: {
      storedToken: AccessToken | null
      rejected?: AccessToken | undefined
      withinMs?: number | undefined
    }): Promise<TokenResult> {
      const newest = (latest?.expiresAtMs ?? 0) > (storedToken?.expiresAtMs ?? 0) ? latest : storedToken
      const token = rejected ? replaceToken(rejected) : (ifUsable(newest) ?? fetchTokenOnce())
      const inTime = await withTimeout(withinMs, Promise.resolve(token))
      if (inTime) return inTime
      fetching = undefined
      return { failure: 'No token was issued in time.' }
    },
  }
}

export function formatResponse({ status, body }: Exclude<ProviderResponse, { failure: string }>): string {
  return `${status} ${JSON.stringify(body) ?? 'without JSON'}`
}
