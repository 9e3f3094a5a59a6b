import { createContext, useContext } from 'react'
import { shop } from '#shared/shop.ts'
import { parseShopDay } from '#shared/time.ts'

export const NowMsContext = createContext(0)

type DateTimeProps = {
  atMs: number
  /** Shows `today at 13:05` instead of `Today, 13:05`. */
  isInline?: boolean
}

/** Shows, for example, `Today, 13:05` or `24 November, 13:05`, in the shop's time zone. */
export function DateTime({ atMs, isInline = false }: DateTimeProps) {
  const day = formatDayLabel(atMs, useContext(NowMsContext))
  const time = formatInShopTime(atMs, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return (
    <time dateTime={new Date(atMs).toISOString()}>
      {isInline ? `${lowerCaseFirst(day)} at ${time}` : `${day}, ${time}`}
    </time>
  )
}

/** Shows, for example, `13:05:30`. */
export function TimeOfDay({ atMs }: { atMs: number }) {
  const digits = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  return <time dateTime={new Date(atMs).toISOString()}>{formatInShopTime(atMs, digits)}</time>
}

export function Day({ atMs }: { atMs: number }) {
  return (
    <time dateTime={new Date(atMs).toISOString()}>
      {lowerCaseFirst(formatDayLabel(atMs, useContext(NowMsContext)))}
    </time>
  )
}

function formatDayLabel(atMs: number, nowMs: number): string {
  for (const [word, label] of [
    ['today', 'Today'],
    ['yesterday', 'Yesterday'],
  ] as const) {
    const day = parseShopDay(word, nowMs)
    if (day && atMs >= day.startMs && atMs < day.endMs) return label
  }
  return formatDay(atMs, nowMs)
}

/** Returns a day such as `24 November`, or `24 November 2025` if that isn't the current year. */
export function formatDay(atMs: number, nowMs: number): string {
  const isCurrentYear =
    formatInShopTime(atMs, { year: 'numeric' }) === formatInShopTime(nowMs, { year: 'numeric' })
  return formatInShopTime(atMs, {
    day: 'numeric',
    month: 'long',
    ...(isCurrentYear ? {} : { year: 'numeric' }),
  })
}

export function formatShortDay(atMs: number): string {
  return formatInShopTime(atMs, { day: 'numeric', month: 'short' })
}

function lowerCaseFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatInShopTime(atMs: number, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options)
  const known = formatters.get(key)
  const formatter = known ?? new Intl.DateTimeFormat(shop.locale, { timeZone: shop.timeZone, ...options })
  if (!known) formatters.set(key, formatter)
  return formatter.format(atMs)
}
