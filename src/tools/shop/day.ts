import { parseShopDay, type ShopDay } from '#shared/time.ts'
import { ToolError } from '../command.ts'

export function parseDay(word: string, nowMs: number): ShopDay {
  const day = parseShopDay(word, nowMs)
  if (day) return day
  throw new ToolError(`"${word}" isn't a day. Use 2026-11-21, today or yesterday.`)
}
