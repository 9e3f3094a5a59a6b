import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CatalogueStore } from '#server/catalogue/published-catalogue.ts'
import { ToolError } from '../command.ts'
import { CONFIG_FILE, wranglerCommand } from '../wrangler.ts'

type Rows = Record<string, unknown>[]

/** Runs statements, one string of SQL, and returns the rows of each. */
export type Execute = (sql: string) => Promise<Rows[]>

/** Runs statements on the production database, with the operator's own login. Throws ToolError when that fails. */
export function remoteExecute(environment: string): Execute {
  return async (sql) => {
    const where = ['--remote', '--config', CONFIG_FILE, '--env', environment]
    const output = await wranglerCommand(
      ['d1', 'execute', 'DB', ...where, '--json', '--yes', '--command', sql],
      (output) => `The remote database didn't respond: ${reasonIn(output)}`,
    )
    return rowsIn(output)
  }
}

/** The production store of published catalogues, with the operator's own login. Throws ToolError when that fails. */
export function remoteStore(environment: string): CatalogueStore {
  const where = ['--binding', 'CATALOGUE', '--remote', '--config', CONFIG_FILE, '--env', environment]
  const failure = (output: string) => `Remote KV didn't respond: ${output.trim()}`
  return {
    get: (key) => wranglerCommand(['kv', 'key', 'get', key, '--text', ...where], failure),
    async put(key, value) {
      const folder = mkdtempSync(path.join(tmpdir(), 'pamba-'))
      const file = path.join(folder, 'value')
      writeFileSync(file, value)
      await wranglerCommand(['kv', 'key', 'put', key, '--path', file, ...where], failure)
      rmSync(folder, { recursive: true })
    },
  }
}

/** What went wrong, from what `wrangler d1 execute --json` printed when it failed. */
export function reasonIn(output: string): string {
  try {
    const { error } = JSON.parse(output.slice(output.indexOf('{'))) as { error: { text: string } }
    return error.text
  } catch {
    return output.trim()
  }
}

/** The rows in what `wrangler d1 execute --json` printed: a list with one entry a statement. */
export function rowsIn(output: string): Rows[] {
  try {
    const answers = JSON.parse(output.slice(output.indexOf('['))) as { results: Rows }[]
    return answers.map(({ results }) => results)
  } catch {
    throw new ToolError(`The remote database sent an unreadable response: ${output.trim()}`)
  }
}

/** As much of a D1 binding as Drizzle needs, over statements with their values inlined. */
export function databaseOver(execute: Execute): D1Database {
  const prepare = (sql: string, params: unknown[] = []) => ({
    text: () => inlineParams(sql, params),
    bind: (...values: unknown[]) => prepare(sql, values),
    all: async () => resultOf(await one(sql, params)),
    run: async () => resultOf(await one(sql, params)),
    raw: async () => (await one(sql, params)).map((row) => Object.values(row)),
  })
  const one = async (sql: string, params: unknown[]) => (await execute(inlineParams(sql, params)))[0] ?? []
  const batch = async (statements: { text: () => string }[]) =>
    (await execute(statements.map((statement) => statement.text()).join(';\n'))).map(resultOf)
  // Drizzle calls nothing else of a binding.
  return { prepare, batch } as unknown as D1Database
}

function resultOf(results: Rows) {
  return { success: true, results, meta: {} }
}

/** Text in quotes, a name in quotes, or a placeholder: placeholders inside quotes are only question marks. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g

/**
 * A statement with its parameters written into it, for `wrangler d1 execute`, which takes none. No value can end its
 * literal. Throws ToolError for a value that SQL text cannot contain, Error when the placeholders do not match.
 */
export function inlineParams(sql: string, params: readonly unknown[]): string {
  const placeholders = [...sql.matchAll(TOKEN)].filter(([token]) => token === '?').length
  if (placeholders !== params.length)
    throw new Error(`${placeholders} placeholders for ${params.length} parameters: ${sql}`)
  const values = params.values()
  return sql.replace(TOKEN, (token) => (token === '?' ? literal(values.next().value) : token))
}

function literal(value: unknown): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' && Number.isFinite(value)) return `(${value})`
  if (typeof value === 'string') return textLiteral(value)
  throw new ToolError(`Can't send a ${typeof value} to the database.`)
}

function textLiteral(text: string): string {
  if (text.includes('\0')) throw new ToolError("Can't send a text with a NUL character to the database.")
  return `'${text.replaceAll("'", "''")}'`
}
