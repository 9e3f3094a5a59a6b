import { shop } from './shop.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** `endMs` is exclusive. */
export type TimeRange = { startMs: number; endMs: number }

/** One or more days in the shop's time zone. */
export type ShopPeriod = TimeRange & { name: string }

/** Parses `2026-11-21`, `today` or `yesterday`. */
export function parseShopDay(word: string, nowMs: number): ShopPeriod | undefined {
  const date = resolveDate(word, nowMs)
  const midnightMs = Date.parse(`${date}T00:00:00Z`)
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(midnightMs) || formatIsoDate(midnightMs) !== date)
    return undefined
  return { name: date, startMs: toUtcMs(midnightMs), endMs: toUtcMs(midnightMs + DAY_MS) }
}

export function listShopDaysUntil(nowMs: number, days: number): ShopPeriod[] {
  const todayMs = Date.parse(`${resolveDate('today', nowMs)}T00:00:00Z`)
  return Array.from({ length: days }, (_, index) => {
    const midnightMs = todayMs - (days - 1 - index) * DAY_MS
    return {
      name: formatIsoDate(midnightMs),
      startMs: toUtcMs(midnightMs),
      endMs: toUtcMs(midnightMs + DAY_MS),
    }
  })
}

export function parseShopPeriod(from: string, to: string, nowMs: number): ShopPeriod | undefined {
  const [first, last] = [parseShopDay(from, nowMs), parseShopDay(to, nowMs)]
  if (!first || !last || first.startMs > last.startMs) return undefined
  const name = first.name === last.name ? first.name : `${first.name} to ${last.name}`
  return { name, startMs: first.startMs, endMs: last.endMs }
}

/** Returns a text such as `2026-12-24T00:00`, for a `datetime-local` field. */
export function formatShopDateTime(atMs: number): string {
  return new Date(atMs + getOffsetMs(atMs)).toISOString().slice(0, 16)
}

export function parseShopDateTime(text: string): number | undefined {
  const localMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  const isDate = !Number.isNaN(localMs) && new Date(localMs).toISOString().startsWith(text)
  return isDate ? toUtcMs(localMs) : undefined
}

function resolveDate(word: string, nowMs: number): string {
  const localMs = nowMs + getOffsetMs(nowMs)
  if (word === 'today') return formatIsoDate(localMs)
  if (word === 'yesterday') return formatIsoDate(localMs - DAY_MS)
  return word
}

function formatIsoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** `localMs` encodes the shop's local time as if it were UTC. */
function toUtcMs(localMs: number): number {
  const estimateMs = localMs - getOffsetMs(localMs)
  return localMs - getOffsetMs(estimateMs)
}

const LAST_OFFSET_MS = Date.UTC(9999, 0)

/** Times before 1970 or after 1 January 9999 have the offset of that day, because `Date.parse` may not read their year. */
function getOffsetMs(atMs: number): number {
  const closestMs = Math.min(Math.max(atMs, 0), LAST_OFFSET_MS)
  const clock = formatIsoDateTime(closestMs).replace(' ', 'T')
  return Date.parse(`${clock}Z`) - Math.floor(closestMs / 1000) * 1000
}

let isoFormat: Intl.DateTimeFormat | undefined

/** Returns the time in the shop's time zone as `2026-11-21 09:05:07`, which spreadsheets read as a date. */
export function formatIsoDateTime(atMs: number): string {
  isoFormat ??= new Intl.DateTimeFormat('sv-SE', {
    timeZone: shop.timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return isoFormat.format(atMs)
}

/** Returns the time in the shop's time zone as ISO 8601 for other programs: `2026-11-21T09:05:07+03:00`. */
export function formatIsoTimestamp(atMs: number): string {
  const minutes = getOffsetMs(atMs) / MINUTE_MS
  const pad = (number: number) => String(Math.floor(number)).padStart(2, '0')
  const offset = `${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`
  return `${formatIsoDateTime(atMs).replace(' ', 'T')}${minutes < 0 ? '-' : '+'}${offset}`
}

// The formats are created on first use, because creating them would slow down the Worker's start.
let dateFormat: Intl.DateTimeFormat | undefined
let dayFormat: Intl.DateTimeFormat | undefined
let longDateFormat: Intl.DateTimeFormat | undefined
let dateTimeFormat: Intl.DateTimeFormat | undefined
let timeFormat: Intl.DateTimeFormat | undefined

/** Returns a text such as `24 Nov 2026`. */
export function formatDate(atMs: number): string {
  dateFormat ??= new Intl.DateTimeFormat(shop.locale, { timeZone: shop.timeZone, dateStyle: 'medium' })
  return dateFormat.format(atMs)
}

/** Returns a text such as `24 November`. */
export function formatDayAndMonth(atMs: number): string {
  dayFormat ??= new Intl.DateTimeFormat(shop.locale, {
    timeZone: shop.timeZone,
    day: 'numeric',
    month: 'long',
  })
  return dayFormat.format(atMs)
}

/** Returns a text such as `24 November 2026`. */
export function formatLongDate(atMs: number): string {
  longDateFormat ??= new Intl.DateTimeFormat(shop.locale, { timeZone: shop.timeZone, dateStyle: 'long' })
  return longDateFormat.format(atMs)
}

export function formatDateTime(atMs: number): string {
  dateTimeFormat ??= new Intl.DateTimeFormat(shop.locale, {
    timeZone: shop.timeZone,
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  })
  return dateTimeFormat.format(atMs)
}

/** Returns a text such as `00:36`. */
export function formatTimeOfDay(atMs: number): string {
  timeFormat ??= new Intl.DateTimeFormat('en-GB', {
    timeZone: shop.timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return timeFormat.format(atMs)
}

export function formatTimeAgo(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs
  if (ms < MINUTE_MS) return 'just now'
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  return `${Math.floor(ms / DAY_MS)} days`
}
