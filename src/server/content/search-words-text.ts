import type { Result } from '#server/platform/result.ts'
import type { SearchWordRow } from '#shared/catalogue/search-words.ts'
import type { ContentValues } from './content-schema.ts'

const EXCLUSION_PATTERN = /^not\s+/i

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
    const [words = [], found = [], ...others] = line.split(/[=~]/).map(splitWords)
    const finds = found.filter((word) => !EXCLUSION_PATTERN.test(word))
    const except = found
      .filter((word) => EXCLUSION_PATTERN.test(word))
      .map((word) => word.replace(EXCLUSION_PATTERN, ''))
    if (words.length === 0 || finds.length === 0 || others.length > 0)
      return { ok: false, error: { code: 'malformed', line: index + 1 } }
    rows.push({
      words,
      finds,
      ...(except.length > 0 && { except }),
      ...(line.includes('~') && { isSimilar: true as const }),
    })
  }
  return { ok: true, data: rows }
}

function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}
