import type { ParseArgsOptionsConfig } from 'node:util'
import type { Database } from '#server/db/client.ts'

/** What a verb works on. */
export type ShopContext = { db: Database; clock: () => number }

/** What a verb found: for people, and for scripts under `--json`. */
export type Answer = { text: string; json: unknown }

/** One thing an operator can do. Refusals are thrown as ToolError. */
export type Verb = {
  /** As in the help: `orders show <number>`. */
  usage: string
  summary: string
  /** How many words it takes after its own, at least and at most. */
  words: [least: number, most: number]
  options?: ParseArgsOptionsConfig
  run(input: VerbInput, context: ShopContext): Promise<Answer>
}

export type VerbInput = { words: string[]; options: Record<string, string | undefined> }
