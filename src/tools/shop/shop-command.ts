import type { ParseArgsOptionsConfig } from 'node:util'
import type { CatalogueContext } from '#server/context.ts'
import { ToolError } from '../command.ts'

/** What a command found: for people, and for scripts under `--json`. */
export type CommandOutput = { text: string; json: unknown }

/** One thing an operator can do. Refusals are thrown as ToolError. */
export type ShopCommand = {
  /** As in the help: `orders show <number>`. */
  usage: string
  summary: string
  /** How many words it takes after its own, at least and at most. */
  words: [least: number, most: number]
  options?: ParseArgsOptionsConfig
  run(input: CommandInput, context: CatalogueContext): Promise<CommandOutput>
}

export type CommandInput = { words: string[]; options: Record<string, string | undefined> }

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

/** How many rows to show: `--limit`, 20 unless given. Throws ToolError for what is no such number. */
export function limitFrom(word: string | undefined): number {
  const limit = word === undefined ? DEFAULT_LIMIT : Number(word)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new ToolError(`--limit must be a number from 1 to ${MAX_LIMIT}, not "${word}".`)
}
