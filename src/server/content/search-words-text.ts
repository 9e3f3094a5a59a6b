import type { Result } from '#server/platform/result.ts'
import { parseSearchWordRow, type SearchWordRow } from '#shared/catalogue/search-words.ts'
import type { ContentValues } from './content-schema.ts'

/** Writes one row per line, such as `boy, son = children, not dress` or, if it finds similar products, `jeans ~ trousers`. */
export function formatSearchWords(rows: readonly SearchWordRow[]): string {
  return rows
    .map(({ words, finds, except = [], isSimilar }) => {
      const replacements = [...finds, ...except.map((word) => `not ${word}`)]
      return `${words.join(', ')} ${isSimilar ? '~' : '='} ${replacements.join(', ')}`
    })
    .join('\n')
}

/** In an error, `line` also counts empty lines, which are skipped. */
export function parseSearchWords(
  text: string,
): Result<ContentValues['searchWords'], { code: 'malformed'; line: number }> {
  const rows: ContentValues['searchWords'] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim()) continue
    const row = parseSearchWordRow(line)
    if (!row) return { ok: false, error: { code: 'malformed', line: index + 1 } }
    rows.push(row)
  }
  return { ok: true, data: rows }
}
