import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { answerError } from '../api/answer.ts'

/** The limits of wrangler.toml count by the minute. */
export const LIMIT_PERIOD_SECONDS = 60

/** Refuses with 429 and Retry-After when `underLimit` says that the visitor's address has had too many of `what`. */
export function limitByAddress(underLimit: (key: string) => Promise<boolean>, what: string) {
  return createMiddleware(async function limitByAddress(c, next) {
    if (await underLimit(`${what} ${addressOf(c)}`)) return next()
    c.header('Retry-After', String(LIMIT_PERIOD_SECONDS))
    return answerError(c, 'too_many_requests')
  })
}

/**
 * The visitor's network address as the edge knows it; one for all where there is no edge. Of an IPv6 address it is the
 * first half: whoever has one has the whole network of it.
 */
export function addressOf(c: Context): string {
  const address = c.req.header('CF-Connecting-IP') ?? 'local'
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const first = head.split(':')
  const left = tail === undefined ? 0 : 8 - first.length - tail.split(':').length
  return [...first, ...Array(Math.max(left, 0)).fill('0')].slice(0, 4).join(':')
}
