import { shop } from '#shared/shop.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let format: Intl.DateTimeFormat | undefined

/** A moment on the shop's clock: `21 Nov 2026, 09:05`. */
export function moment(atMs: number): string {
  // Not at module level: creating a formatter takes a tenth of the Worker's start-up time.
  format ??= new Intl.DateTimeFormat(shop.locale, {
    timeZone: shop.timeZone,
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  })
  return format.format(atMs)
}

/** How long ago something was, roughly: `just now`, `12 min`, `5 h`, `3 days`. */
export function ago(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs
  if (ms < MINUTE_MS) return 'just now'
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  return `${Math.floor(ms / DAY_MS)} days`
}
