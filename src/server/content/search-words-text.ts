import type { Result } from '#server/platform/result.ts'
import { parseSearchWordRow, type SearchWordRow } from '#shared/catalogue/search-words.ts'
import { toStemKey, toWords, withoutStopWords } from '#shared/catalogue/words.ts'
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

export type SearchWordsError =
  | { code: 'malformed'; line: number }
  /** Search ignores the phrase's other words, so the rule would apply to every search for `word`. */
  | { code: 'too_broad'; line: number; phrase: string; word: string }

/** In an error, `line` also counts empty lines, which are skipped. */
export function parseSearchWords(text: string): Result<ContentValues['searchWords'], SearchWordsError> {
  const rows: ContentValues['searchWords'] = []
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (!content.trim()) continue
    const line = index + 1
    const row = parseSearchWordRow(content)
    if (!row) return { ok: false, error: { code: 'malformed', line } }
    const broad = findBroadPhrase(row)
    if (broad) return { ok: false, error: { code: 'too_broad', line, ...broad } }
    rows.push(row)
  }
  return { ok: true, data: rows }
}

/** A phrase may be cut to one word if the row has that word too. */
function findBroadPhrase({ words }: SearchWordRow) {
  const wordLists = words.map(toWords)
  const singleKeys = new Set(wordLists.filter(({ length }) => length === 1).map(toStemKey))
  for (const [index, list] of wordLists.entries()) {
    const [word = '', ...others] = withoutStopWords(list)
    const isCut = list.length > 1 && others.length === 0
    if (isCut && !singleKeys.has(toStemKey([word]))) return { phrase: words[index] ?? '', word }
  }
  return undefined
}
