const NOON_HOUR = 12
const HOME_EVENING_HOUR = 17
const HOME_NIGHT_HOUR = 21
const SHOP_EVENING_HOUR = 18

export function getHomeGreeting(hour: number): string {
  if (hour < NOON_HOUR) return 'Good morning'
  if (hour < HOME_EVENING_HOUR) return 'Good afternoon'
  if (hour < HOME_NIGHT_HOUR) return 'Good evening'
  return 'Good night'
}

export function getShopGreeting(hour: number): string {
  if (hour < NOON_HOUR) return 'Good morning'
  if (hour < SHOP_EVENING_HOUR) return 'Good afternoon'
  return 'Good evening'
}

export type WallClock = { hour: number; text: string }

export function parseClock(text: string): WallClock {
  return { hour: Number(text.slice(0, 2)), text }
}

/** Formatters are cached, because creating one is much slower than using it. */
const formatters = new Map<string, Intl.DateTimeFormat>()
const FORMAT_OPTIONS = { year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const YEAR_LENGTH = 4
const TIME_CHARACTERS = 8

function getFormatter(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-GB', { timeZone, ...FORMAT_OPTIONS, hourCycle: 'h23' })
    formatters.set(timeZone, formatter)
  }
  return formatter
}

export function getWallClock(nowMs: number, timeZone: string): WallClock {
  return parseClock(getFormatter(timeZone).format(nowMs).slice(-TIME_CHARACTERS))
}

export function getYearAt(nowMs: number, timeZone: string): string {
  return getFormatter(timeZone).format(nowMs).slice(0, YEAR_LENGTH)
}

export function toValidTimeZone(timeZone: string | undefined, fallback: string): string {
  if (!timeZone) return fallback
  try {
    getFormatter(timeZone)
    return timeZone
  } catch {
    return fallback
  }
}
