import type { Assets } from '#server/catalogue/catalogue-source.ts'
import type { CatalogueContext, PricingContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { formatServiceError, type ServiceError } from '#server/platform/result.ts'
import { parseShopDay, type ShopPeriod } from '#shared/time.ts'
import { ToolError } from '../command.ts'
import { type Columns, formatTable } from './table.ts'

export type ShopContext = OwnerContext<
  CatalogueContext & Pick<PricingContext, 'delivery' | 'catalogue'> & { shop: Assets }
>

export type ShopCommand = {
  summary: string
  /** The help and the parser read it: `<number> [--amount 500] [--done]`. */
  usage?: string
  run(input: CommandInput, ctx: ShopContext): Promise<CommandOutput>
}

export type CommandInput = { positionals: string[]; options: Record<string, string | undefined> }
export type CommandOutput = { text: string; json: unknown }

export const actor = COMMAND_LINE_ACTOR

export function toTable<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): CommandOutput {
  return { text: formatTable(rows, columns, empty), json: rows }
}

type Success = { ok: true; data: unknown }

/** Throws an error as a {@link ToolError}. `number` is the order that a `not_found` refers to. */
export function unwrapResult<Outcome extends Success | { ok: false; error: ServiceError }>(
  result: Outcome,
  number?: string,
): Extract<Outcome, Success>['data'] {
  if (result.ok) return result.data
  const { code, message } = result.error
  if (code === 'not_found' && !message && number) throw createUnknownOrderError(number)
  throw new ToolError(formatServiceError(result.error))
}

export function createUnknownOrderError(number: string): ToolError {
  return new ToolError(`Order ${number} doesn't exist. List the latest orders: npm run shop -- orders`)
}

export function parseChoice<Choice extends string | number>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((candidate) => String(candidate) === text)
  if (choice !== undefined || text === undefined) return choice
  throw new ToolError(`Unknown ${name} "${text}". Use one of: ${choices.join(', ')}.`)
}

export function parseDay(text: string, nowMs: number): ShopPeriod {
  const day = parseShopDay(text, nowMs)
  if (day) return day
  throw new ToolError(`"${text}" isn't a day. Use 2026-11-21, today or yesterday.`)
}

export const parseLimit = (text = '20') => parseWholeNumber('limit', text, 1000)

export function parseWholeNumber(name: string, text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= max) return value
  throw new ToolError(`--${name} must be a whole number from 1 to ${max}, not "${text}".`)
}
