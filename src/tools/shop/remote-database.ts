import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CatalogueStore } from '#server/catalogue/published-catalogue.ts'
import { ToolError } from '../command.ts'
import { CONFIG_FILE, wranglerCommand } from '../wrangler.ts'

type Rows = Record<string, unknown>[]

export type Execute = (sql: string) => Promise<Rows[]>

export function remoteExecute(environment: string): Execute {
  return async (sql) => {
    const target = ['--remote', '--config', CONFIG_FILE, '--env', environment]
    const output = await wranglerCommand(
      ['d1', 'execute', 'DB', ...target, '--json', '--yes', '--command', sql],
      (output) => `The remote database didn't respond: ${reasonIn(output)}`,
    )
    return rowsIn(output)
  }
}

export function remoteStore(environment: string): CatalogueStore {
  const target = ['--binding', 'CATALOGUE', '--remote', '--config', CONFIG_FILE, '--env', environment]
  const failure = (output: string) => `Remote KV didn't respond: ${output.trim()}`
  return {
    get: (key) => wranglerCommand(['kv', 'key', 'get', key, '--text', ...target], failure),
    async put(key, value) {
      const folder = mkdtempSync(path.join(tmpdir(), 'pamba-'))
      const file = path.join(folder, 'value')
      writeFileSync(file, value)
      await wranglerCommand(['kv', 'key', 'put', key, '--path', file, ...target], failure)
      rmSync(folder, { recursive: true })
    },
  }
}

export function reasonIn(output: string): string {
  try {
    const { error } = JSON.parse(output.slice(output.indexOf('{'))) as { error: { text: string } }
    return error.text
  } catch {
    return output.trim()
  }
}

export function rowsIn(output: string): Rows[] {
  try {
    const answers = JSON.parse(output.slice(output.indexOf('['))) as { results: Rows }[]
    return answers.map(({ results }) => results)
  } catch {
    throw new ToolError(`The remote database sent an unreadable response: ${output.trim()}`)
  }
}

export function databaseOver(execute: Execute): D1Database {
  const prepare = (sql: string, params: unknown[] = []) => ({
    text: () => inlineParams(sql, params),
    bind: (...values: unknown[]) => prepare(sql, values),
    all: async () => toD1Result(await executeOne(sql, params)),
    run: async () => toD1Result(await executeOne(sql, params)),
    raw: async () => (await executeOne(sql, params)).map((row) => Object.values(row)),
  })
  const executeOne = async (sql: string, params: unknown[]) =>
    (await execute(inlineParams(sql, params)))[0] ?? []
  const batch = async (statements: { text: () => string }[]) =>
    (await execute(statements.map((statement) => statement.text()).join(';\n'))).map(toD1Result)
  return { prepare, batch } as unknown as D1Database
}

function toD1Result(results: Rows) {
  return { success: true, results, meta: {} }
}

/** A quoted text, a quoted name, or a placeholder. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g

/** Inlines parameters as escaped literals, because `wrangler d1 execute` takes none. Throws ToolError for values SQL text cannot contain. */
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
