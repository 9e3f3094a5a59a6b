import type { Query } from 'minisearch'
import { listAudiences, withoutAudienceWords } from './audiences.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { FIELD_WEIGHTS, isForBabies } from './search-index.ts'
import { MIN_PART_CHARACTERS, type People, type Term } from './search-terms.ts'
import type { Audience } from './shop-filter.ts'
import { stem, toWords } from './words.ts'

export const NAME_FIELDS = Object.keys(FIELD_WEIGHTS).filter((field) => field !== 'description')

export type Matches = {
  products: Catalogue
  /** Whether the products match all words, are only of the same kind, or match only some words. */
  quality: 'all-words' | 'same-kind' | 'some-words'
  /** The terms that the products must match, without the people and occasions that they are for. */
  main: readonly Term[]
  /** The products with one of the main terms in their name. */
  named: ReadonlySet<Product>
  /** False if the products are a category or all for children, in which case the best don't come first. */
  isRanked: boolean
  isExcluded: (product: Product) => boolean
}

/**
 * `girl toys` and `church dress` rank toys that name girls and dresses that name church first, but also find the others,
 * because few do. People limit the products to those for them: `women pyjamas` finds none for babies, but what else is
 * for women in the category.
 */
export function matchTerms(
  terms: readonly Term[],
  catalogue: Catalogue,
  rank: (query: Query) => Catalogue,
): Matches {
  const people = terms.filter((term) => term.people)
  const occasions = terms.filter((term) => term.isOccasion)
  const others = terms.filter((term) => !term.people && !term.isOccasion)
  // Of `gift for my boss`, only the gift can be searched.
  const isOccasionOnly =
    others.length > 0 && occasions.length > 0 && others.every((term) => rank(toQuery(term)).length === 0)
  const main = [isOccasionOnly ? [] : others, occasions, people].find(({ length }) => length > 0) ?? []
  const extra = terms.filter((term) => !main.includes(term))
  const isForPeople = createPeopleFilter(extra)
  const isExcludedByWords = createExclusion(terms)
  const isExcluded = (product: Product) => !isForPeople(product) || isExcludedByWords(product)
  const isIncluded = (product: Product) => !isExcluded(product)
  const findNamed = (combineWith: 'AND' | 'OR') =>
    new Set(rank({ combineWith, queries: main.map(toQuery), fields: NAME_FIELDS }))
  const named = findNamed('OR')
  const matches = { main, named, isExcluded, isRanked: true }
  const isUnserved = people.some((term) => term.people === 'Men' && rank(toQuery(term)).length === 0)
  if (isUnserved) return { ...matches, products: [], quality: 'all-words' }

  const all: Query = { combineWith: 'AND', queries: main.map(toQuery) }
  const withExtra: Query = { combineWith: 'AND', queries: [all, ...extra.map(toQuery)] }
  const ranked = rank(extra.length > 0 ? { combineWith: 'OR', queries: [all, withExtra] } : all)
  const forPeople = preferBabies(ranked.filter(isForPeople), extra, named)
  const [best] = forPeople
  const included = best && isExcluded(best) ? [] : forPeople.filter(isIncluded)
  if (main === people && people.length > 0 && people.every(areAllChildren)) {
    const products = [...new Set([...included, ...catalogue.filter(isForChildren)])]
    return { ...matches, products, quality: 'all-words', isRanked: false }
  }
  // Each of several words may only be mentioned, as `red` and `shorts` are for a short-sleeved romper.
  const isOnlyMentioned =
    main.length > 1 && !included.some((product) => named.has(product)) && [...named].some(isIncluded)
  const namedWithAll = extra.length > 0 ? [...findNamed('AND')] : []
  const isOnlyForOthers = namedWithAll.length > 0 && namedWithAll.every(isExcluded)
  if (included.length > 0 && !isOnlyMentioned && !isOnlyForOthers)
    return { ...matches, products: included, quality: isOccasionOnly ? 'some-words' : 'all-words' }

  const kinds = new Set(namedWithAll.map(({ category }) => withoutAudienceWords(category)).filter(Boolean))
  const some: Query = { combineWith: 'OR', queries: main.filter(isLongTerm).map(toQuery) }
  const withSome = rank(some).filter(isIncluded)
  const isSameKind = (product: Product) =>
    kinds.has(withoutAudienceWords(product.category)) && isIncluded(product)
  const sameKind = [...new Set([...withSome, ...catalogue].filter(isSameKind))]
  if (sameKind.length > 0) return { ...matches, products: sameKind, quality: 'same-kind', isRanked: false }
  return { ...matches, products: withSome, quality: 'some-words' }
}

/** `kids` stands for all children. `girl` and `boy` don't. */
function areAllChildren({ people, except }: Term): boolean {
  return people === 'Kids' && except.length === 0
}

export function toQuery({ alternatives }: Term): Query {
  return { combineWith: 'OR', queries: [...alternatives] }
}

const AUDIENCES_BY_PEOPLE: Readonly<Record<People, readonly Audience[]>> = {
  Babies: ['Kids'],
  Boys: ['Kids'],
  Girls: ['Kids'],
  Kids: ['Kids'],
  Women: ['Women'],
  Men: [],
}

function createPeopleFilter(terms: readonly Term[]): (product: Product) => boolean {
  const audiences = terms.flatMap(({ people }) => (people ? AUDIENCES_BY_PEOPLE[people] : []))
  return (product) =>
    audiences.length === 0 || listAudiences(product).some((audience) => audiences.includes(audience))
}

/** With `baby`, keeps only what suits babies, unless no product with the words in its name does. */
function preferBabies(products: Catalogue, terms: readonly Term[], named: ReadonlySet<Product>): Catalogue {
  if (!terms.some(({ people }) => people === 'Babies')) return products
  const forBabies = products.filter(isForBabies)
  return forBabies.some((product) => named.has(product)) ? forBabies : products
}

/** Excludes products with words such as `dress` in their title from a search for boys, but not from one for boys and girls. */
function createExclusion(terms: readonly Term[]): (product: Product) => boolean {
  const excludedStems = new Set(terms.flatMap(({ except }) => except.map(stem)))
  const isForOthersToo = terms.some(({ people, stem }) => people && excludedStems.has(stem))
  return ({ title }) => !isForOthersToo && toWords(title).some((word) => excludedStems.has(stem(word)))
}

export function isForChildren(product: Product): boolean {
  return listAudiences(product).includes('Kids')
}

/** Shorter words match too much to be found alone. */
function isLongTerm({ stem }: Term): boolean {
  return stem.length >= MIN_PART_CHARACTERS
}
