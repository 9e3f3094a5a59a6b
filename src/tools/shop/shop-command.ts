import type { ParseArgsOptionsConfig } from 'node:util'
import type { CatalogueContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { ToolError } from '../command.ts'

export type CommandOutput = { text: string; json: unknown }

/** `run` throws ToolError for input or states it refuses. */
export type ShopCommand = {
  usage: string
  summary: string
  words: [min: number, max: number]
  options?: ParseArgsOptionsConfig
  run(input: CommandInput, context: OwnerContext<CatalogueContext>): Promise<CommandOutput>
}

export type CommandInput = { words: string[]; options: Record<string, string | undefined> }

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

export function parseLimit(word: string | undefined): number {
  const limit = word === undefined ? DEFAULT_LIMIT : Number(word)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new ToolError(`--limit must be a number from 1 to ${MAX_LIMIT}, not "${word}".`)
}
