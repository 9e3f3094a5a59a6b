import type { Sort } from './shop-filter.ts'

/** Words that sort all products instead of finding some of them. */
const SORT_WORDS: Readonly<Record<Sort, readonly string[]>> = {
  '': toWords(`all bei bidhaa catalog catalogue categories category collection collections every everything fashion item items list
    mnauza much price prices product products range selection sell selling shop store stuff unauza view vyote zote`),
  'price-asc': toWords('affordable budget cheap cheaper cheapest chini inexpensive nafuu poa rahisi'),
  'price-desc': toWords('expensive luxury premium'),
  newest: toWords('arrival arrivals latest mpya new newest'),
}

/** `below` and `under` precede a price limit that is still being typed. */
const ENGLISH_FILLERS = `
  a above am an and any anything are at available beautiful below best browse buy by can casual color colored colour coloured could
  cute did do does eco ecofriendly featured find for friendly from gender get give good great handmade
  handwoven has have high how i im in info is it its just kind let like look looking lovely low me most my need neutral
  nice of on one or order over plain please pls popular pretty recommended room see seller sellers set
  sets show size some something sustainable take thank thanks that the there these they thing things this those to
  trending type u under unisex up upto ur us want wanting was we what whats when where which who will with would you
  your yours`
const SWAHILI_FILLERS = `
  ana asante cha chako fiti gani hii hiyo hizi hizo iko ile kiko kisasa kitu kubwa kuna kuvaa kwa kwenda la langu leo
  lipi mdogo mko mkubwa mna mnayo na nahitaji naomba natafuta nataka naweza nayo ndogo ngapi ni niko nina nipe
  nzuri rangi sana siku uko vipi vitu vizuri vya vyangu wa wangu wapi wazuri wenu ya yangu yenu yuko za zangu
  zenu ziko zipi zuri`
const STOP_WORDS = new Set([
  ...Object.values(SORT_WORDS).flat(),
  ...toWords(ENGLISH_FILLERS),
  ...toWords(SWAHILI_FILLERS),
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
  care: 'care',
  clothes: 'clothes',
  dressed: 'dressed',
  mume: 'mume',
  quilted: 'quilted',
  shorts: 'shorts',
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
  const significantWords = words.filter((word) => !isStopWord(word))
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

/** Returns the order for a query that names no product, such as `cheap`, `new arrivals` or `show all products`. */
export function findSort(words: readonly string[]): Sort | undefined {
  const isSortOnly = words.length > 0 && words.every(isStopWord)
  const sorts: readonly Sort[] = ['price-asc', 'price-desc', 'newest', '']
  return isSortOnly ? sorts.find((sort) => words.some((word) => SORT_WORDS[sort].includes(word))) : undefined
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

export function isLowPriceWord(word: string): boolean {
  return SORT_WORDS['price-asc'].includes(word)
}

/** The singular prefixes of Swahili nouns by those of their plurals and diminutives. */
const SWAHILI_PREFIXES: readonly (readonly [prefix: string, singulars: readonly string[]])[] = [
  ['ma', ['']],
  ['vi', ['ki', '']],
  ['vy', ['ch']],
  ['mi', ['m']],
  ['wa', ['m', 'mw']],
  ['ki', ['']],
  ['ka', ['']],
]
const MIN_SWAHILI_STEM = 3

/** Returns what may be the singular of a Swahili plural or diminutive: `kikapu` and `kapu` for `vikapu`. */
export function listSwahiliStems(word: string): readonly string[] {
  return SWAHILI_PREFIXES.flatMap(([prefix, singulars]) => {
    const rest = word.slice(prefix.length)
    const isPlural = word.startsWith(prefix) && rest.length >= MIN_SWAHILI_STEM
    return isPlural ? singulars.map((singular) => singular + rest) : []
  })
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

/** Returns the key of a word or phrase. Its forms, such as `size guide` and `size guides`, share the key. */
export function toStemKey(words: readonly string[]): string {
  return words.map(stem).join(' ')
}

/** A wrong first letter is rare, so it counts as one more typo. A missing one, as in `andals`, doesn’t. */
const FIRST_LETTER_PENALTY = 1

const SHORTEST_CORRECTED = 4

function getMaxTypos({ length }: string): number {
  return length < SHORTEST_CORRECTED ? 0 : length < 7 ? 1 : 2
}

/** A short word with a different or a superfluous letter is usually another word, as in `soap` and `snap`. */
function addsOrSwapsLetters(word: string, other: string): boolean {
  return (
    withoutDoubles(other).length > withoutDoubles(word).length ||
    [...word].toSorted().join() === [...other].toSorted().join()
  )
}

export function findNearestWord(
  word: string,
  vocabulary: Iterable<string>,
  maxTypos = getMaxTypos(word),
): string | undefined {
  let nearest: string | undefined
  let least = maxTypos + 1
  const isPlural = word.endsWith('s')
  const toKey = (text: string) => withoutDoubles(isPlural ? stem(text) : text)
  const key = toKey(word)
  const isShort = word.length === SHORTEST_CORRECTED
  for (const other of vocabulary) {
    if (Math.abs(other.length - word.length) > least + 1 || other.length < 3) continue
    const isLikelyStart = other[0] === word[0] || other.slice(1) === word
    if (!isLikelyStart && least <= 1 + FIRST_LETTER_PENALTY) continue
    const otherKey = toKey(other)
    if (isShort && !addsOrSwapsLetters(key, otherKey) && !differsOnlyInDoubles(word, other)) continue
    const distance = calculateEditDistance(key, otherKey) + (isLikelyStart ? 0 : FIRST_LETTER_PENALTY)
    if (distance < least) [nearest, least] = [other, distance]
  }
  return nearest
}

function differsOnlyInDoubles(word: string, other: string): boolean {
  return withoutDoubles(word) === withoutDoubles(other)
}

/** Doubled letters are no typos: `girrafe` is as near to `giraffe` as `girafe`. */
function withoutDoubles(text: string): string {
  return text.replace(/(.)\1/g, '$1')
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
