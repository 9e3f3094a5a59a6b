import { ToolError } from '../command.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

/** How many rows to show: `--limit`, 20 unless given. Throws ToolError for what is no such number. */
export function limitFrom(word: string | undefined): number {
  const limit = word === undefined ? DEFAULT_LIMIT : Number(word)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new ToolError(`--limit is a number from 1 to ${MAX_LIMIT}; it is "${word}".`)
}
