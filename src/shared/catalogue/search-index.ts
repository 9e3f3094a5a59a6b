import MiniSearch from 'minisearch'
import { getMonths, overlaps } from './ages.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { listProductItems } from './items.ts'
import { getAge, hasSize } from './sizes.ts'
import { stem, toWords } from './words.ts'

export const FIELD_WEIGHTS = { title: 400, category: 40, audience: 80, description: 1 }

export type SearchIndex = {
  /** The id of a document is its product's position in the catalogue. */
  engine: MiniSearch
  stems: Map<string, string>
  /** The words in titles, categories and audiences, unstemmed. */
  names: Set<string>
}

type IndexBuild = SearchIndex & { catalogue: Catalogue; indexed: number }

const PRODUCTS_PER_STEP = 100
const BABY_MONTHS = 24

let latestBuild: IndexBuild | undefined

/**
 * The index is built in steps that yield to other work. Each request sets its own timers, because Workers bind timers
 * to requests.
 */
export function getSearchIndex(catalogue: Catalogue): SearchIndex | Promise<SearchIndex> {
  if (!latestBuild || !haveSameSearchText(latestBuild.catalogue, catalogue))
    latestBuild = createIndexBuild(catalogue)
  const build = latestBuild
  indexNextProducts(build)
  return isComplete(build) ? build : finishBuild(build)
}

async function finishBuild(build: IndexBuild): Promise<SearchIndex> {
  while (!isComplete(build)) {
    await new Promise((resolve) => setTimeout(resolve))
    indexNextProducts(build)
  }
  return build
}

function isComplete({ catalogue, indexed }: IndexBuild): boolean {
  return indexed >= catalogue.length
}

function createIndexBuild(catalogue: Catalogue): IndexBuild {
  const stems = new Map<string, string>()
  const names = new Set<string>()
  const engine = new MiniSearch<{ id: number } & Record<keyof typeof FIELD_WEIGHTS, string>>({
    fields: Object.keys(FIELD_WEIGHTS),
    tokenize: toWords,
    processTerm(word, field) {
      if (field === undefined) return stem(word)
      if (field !== 'description') names.add(word)
      const wordStem = stems.get(word) ?? stem(word)
      stems.set(word, wordStem)
      return wordStem
    },
  })
  return { engine, stems, names, catalogue, indexed: 0 }
}

function indexNextProducts(build: IndexBuild): void {
  const { catalogue, engine, indexed } = build
  const step = catalogue.slice(indexed, indexed + PRODUCTS_PER_STEP)
  build.indexed += step.length
  engine.addAll(
    step.map((product, index) => ({
      id: indexed + index,
      title: product.title,
      category: product.category,
      // Lets `baby jacket` find a jacket in baby sizes, and `sale` what is on sale.
      audience: `${isInBabySizes(product) ? 'baby' : ''} ${isOnSale(product) ? 'sale' : ''}`,
      description: product.description,
    })),
  )
}

function isInBabySizes(product: Product): boolean {
  return hasSize(product, (size) => (getMonths(size)?.toMonths ?? Infinity) <= BABY_MONTHS)
}

/** Whether a product comes in baby sizes, is for an age up to 24 months, or has neither sizes nor an age. */
export function isForBabies(product: Product): boolean {
  const age = getAge(product)
  if (age) return overlaps(getMonths(age), { fromMonths: 0, toMonths: BABY_MONTHS })
  return !product.sizing || isInBabySizes(product)
}

function isOnSale(product: Product): boolean {
  return listProductItems(product).some(({ compareAtPrice }) => compareAtPrice !== undefined)
}

function haveSameSearchText(first: Catalogue, second: Catalogue): boolean {
  if (first === second) return true
  return (
    first.length === second.length &&
    first.every((product, index) => {
      const same = second[index]
      return (
        product.title === same?.title &&
        product.category === same.category &&
        product.description === same.description &&
        isOnSale(product) === isOnSale(same) &&
        (product.sizing === same.sizing || listLabels(product).join() === listLabels(same).join())
      )
    })
  )
}

function listLabels({ sizing }: Product): string[] {
  return sizing?.sizes.map(({ label }) => label) ?? []
}
