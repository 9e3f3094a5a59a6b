const LOW_PRICE_WORDS = 'affordable cheap cheaper cheapest bei nafuu rahisi'.split(' ')
const STOP_WORDS = new Set([
  ...'a an and any at buy by for from i in is it me my of on or the to want with things'.split(' '),
  ...'cha kitu kwa la na vitu vya wa ya za'.split(' '),
  ...LOW_PRICE_WORDS,
  // These precede a price limit that is still being typed.
  ...['below', 'under', 'chini'],
])

const IRREGULAR_STEMS: Readonly<Record<string, string>> = {
  women: 'woman',
  womens: 'woman',
  men: 'man',
  mens: 'man',
  children: 'child',
  childrens: 'child',
  clothing: 'clothing',
  feet: 'foot',
  teeth: 'tooth',
  wooden: 'wood',
  woolen: 'wool',
  woollen: 'wool',
  dressed: 'dressed',
  legging: 'legging',
  leggings: 'legging',
  earring: 'earring',
  earrings: 'earring',
  mane: 'mane',
}

/** Splits text into lowercase words without accents or possessive endings: `Women's` becomes `women`. */
export function toWords(text: string): string[] {
  const normalised = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
  return normalised.replace(/['’‘](s\b)?/g, '').match(/[\p{L}\p{N}]+/gu) ?? []
}

export function withoutStopWords(words: readonly string[]): readonly string[] {
  const significantWords = words.filter((word) => !STOP_WORDS.has(word))
  return significantWords.length > 0 ? significantWords : words
}

const NUMBER_WORDS: readonly (readonly string[])[] = [
  'zero one two three four five six seven eight nine ten'.split(' '),
  'sifuri moja mbili tatu nne tano sita saba nane tisa kumi'.split(' '),
  // After `mwaka` or `miaka`.
  'sifuri mmoja miwili mitatu minne mitano sita saba minane tisa kumi'.split(' '),
]

/** Returns the number that an English or Swahili word from zero to ten names. */
export function parseNumberWord(word: string): number | undefined {
  const number = Math.max(...NUMBER_WORDS.map((words) => words.indexOf(word)))
  return number >= 0 ? number : undefined
}

/** Whether a query such as `cheap` or `bei nafuu` asks for nothing but low prices. */
export function asksOnlyForLowPrices(words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => LOW_PRICE_WORDS.includes(word))
}

/** Returns the stem of an English word: `dress` for `dresses`, `knit` for `knitted`, `babi` for `babies`. */
export function stem(word: string): string {
  const irregular = Object.hasOwn(IRREGULAR_STEMS, word) ? IRREGULAR_STEMS[word] : undefined
  if (irregular) return irregular
  if (word.length <= 3 || /\d/.test(word)) return word
  const singular = word.endsWith('ies')
    ? word.slice(0, -2)
    : word
        .replace(/(ss|sh|ch|x|z)es$/, '$1')
        .replace(/([^suia])s$/, '$1')
        .replace(/([^f]a)s$/, '$1')
  const root = singular.replace(/(ing|ed)$/, '')
  const isRoot = root !== singular && root.length >= 4 && /[aeiouy]/.test(root)
  const short = isRoot ? root.replace(/([bdgklmnprt])\1$/, '$1') : singular
  return short.length > 3 ? short.replace(/e$/, '').replace(/y$/, 'i') : short
}

/** A wrong first letter is rare, so it counts as one more typo. */
const FIRST_LETTER_PENALTY = 1

const SHORTEST_CORRECTED = 4

function getMaxTypos({ length }: string): number {
  return length < SHORTEST_CORRECTED ? 0 : length < 8 ? 1 : 2
}

/** A short word with a different or a superfluous letter is usually another word, as in `soap` and `snap`. */
function addsOrSwapsLetters(word: string, other: string): boolean {
  return other.length > word.length || [...word].toSorted().join() === [...other].toSorted().join()
}

export function findNearestWord(word: string, vocabulary: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = getMaxTypos(word) + 1
  for (const other of vocabulary) {
    if (Math.abs(other.length - word.length) > least || other.length < 3) continue
    if (word.length === SHORTEST_CORRECTED && !addsOrSwapsLetters(word, other)) continue
    const distance = calculateEditDistance(word, other) + (other[0] === word[0] ? 0 : FIRST_LETTER_PENALTY)
    if (distance < least) [nearest, least] = [other, distance]
  }
  return nearest
}

/** Returns the optimal string alignment distance, which counts a swap of adjacent letters as one edit. */
export function calculateEditDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const getDistance = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          getDistance(i - 1, j) + 1,
          getDistance(i, j - 1) + 1,
          getDistance(i - 1, j - 1) + (isSame ? 0 : 1),
          ...(isSwapped ? [getDistance(i - 2, j - 2) + 1] : []),
        ),
      )
    }
  }
  return getDistance(a.length, b.length)
}
