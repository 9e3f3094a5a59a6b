import { parseShopDay, type ShopDay } from '#shared/time.ts'
import { ToolError } from '../command.ts'

/** The day a word names: `2026-11-21`, `today` or `yesterday`. Throws ToolError for anything else. */
export function dayFrom(word: string, nowMs: number): ShopDay {
  const day = parseShopDay(word, nowMs)
  if (day) return day
  throw new ToolError(`"${word}" isn't a day. Use 2026-11-21, today or yesterday.`)
}
