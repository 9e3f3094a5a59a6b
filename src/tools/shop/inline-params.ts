import { ToolError } from '../command.ts'

/** Text in quotes, a name in quotes, or a placeholder: placeholders inside quotes are only question marks. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g

/**
 * A statement with its parameters written into it, for `wrangler d1 execute`, which takes none. No value can end its
 * literal. Throws ToolError for a value that SQL text cannot carry, Error when the placeholders do not match.
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
  throw new ToolError(`A ${typeof value} cannot be sent to the database.`)
}

function textLiteral(text: string): string {
  if (text.includes('\0')) throw new ToolError('A text with a zero character cannot be sent to the database.')
  return `'${text.replaceAll("'", "''")}'`
}
