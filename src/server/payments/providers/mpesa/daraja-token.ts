import * as z from 'zod/mini'
import { callProvider, type ProviderResponse, withTimeout } from '#server/payments/providers/call-provider.ts'
import type { AccessToken } from '#server/payments/providers/provider.ts'
import type { DarajaSettings } from './settings.ts'

/** The token that all isolates share: issuing a new one ends the one before. Neither call rejects. */
export type TokenStore = {
  stored(): Promise<AccessToken | null>
  store(token: AccessToken): Promise<void>
}

export type DarajaContext = {
  clock: () => number
  tokens: TokenStore
  background: (work: Promise<unknown>) => void
}

type TokenResult = AccessToken | { failure: string }

const TOKEN_TIMEOUT_MS = 10_000
/** A token this close to its expiry is not used. */
const TOKEN_MARGIN_MS = 60_000

const numberSchema = z.union([z.number(), z.pipe(z.string().check(z.regex(/^\d+$/)), z.transform(Number))])
const tokenSchema = z.object({ access_token: z.string().check(z.minLength(1)), expires_in: numberSchema })

/** Daraja's access tokens: fetched once, reused until they expire or Daraja rejects them. */
export function darajaTokens(
  { base, consumerKey, consumerSecret }: DarajaSettings,
  { clock, tokens, background }: DarajaContext,
) {
  let latest: AccessToken | null = null
  let fetching: Promise<TokenResult> | undefined

  /** One fetch at a time: each ends the token of the one before. */
  function newToken(): Promise<TokenResult> {
    if (fetching) return fetching
    const fetched = fetchToken().finally(() => {
      if (fetching === fetched) fetching = undefined
    })
    fetching = fetched
    // Other requests may wait for it after the one that started it has ended.
    background(fetched)
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
    if (!parsed.success) return { failure: `No token: ${responseText(response)}` }
    const { access_token: value, expires_in } = parsed.data
    const token = { value, expiresAtMs: clock() + expires_in * 1000 }
    latest = token
    await tokens.store(token)
    return token
  }

  const usable = (token: AccessToken | null) =>
    token && token.expiresAtMs - TOKEN_MARGIN_MS > clock() ? token : undefined

  /** One that another isolate has stored in the meantime, or a new one. */
  async function tokenAfter(rejected: AccessToken): Promise<TokenResult> {
    const stored = usable(await tokens.stored())
    return stored && stored.value !== rejected.value ? stored : newToken()
  }

  return {
    /** `known`: as it was just read from the database. `rejected`: the token that Daraja has just refused. */
    async get({
      known,
      rejected,
      withinMs = TOKEN_TIMEOUT_MS,
    }: {
      known: AccessToken | null
      rejected?: AccessToken | undefined
      withinMs?: number | undefined
    }): Promise<TokenResult> {
      const newest = (latest?.expiresAtMs ?? 0) > (known?.expiresAtMs ?? 0) ? latest : known
      const token = rejected ? tokenAfter(rejected) : (usable(newest) ?? newToken())
      const inTime = await withTimeout(withinMs, Promise.resolve(token))
      if (inTime) return inTime
      // The next call fetches again, instead of waiting for the same response.
      fetching = undefined
      return { failure: 'No token in time.' }
    },
  }
}

export function responseText({ status, body }: Exclude<ProviderResponse, { failure: string }>): string {
  return `${status} ${JSON.stringify(body) ?? 'without JSON'}`
}
