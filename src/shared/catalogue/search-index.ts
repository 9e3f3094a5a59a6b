import MiniSearch from 'minisearch'
import type { Catalogue, Product } from './catalogue.ts'
import { stem, wordsOf } from './words.ts'

/** The fields that are searched, with what a match in each counts: any in a title is above all in a description. */
export const FIELD_WEIGHTS = { title: 400, category: 40, description: 1 }

/** A searchable catalogue. Its documents' ids are the products' positions in the catalogue. */
export type SearchIndex = {
  engine: MiniSearch
  /** All words that are in the products, with their stems. */
  stems: Map<string, string>
  /** The words of titles and categories: what a misspelled word is corrected to. */
  names: Set<string>
}

type Build = SearchIndex & { catalogue: Catalogue; indexed: number }

/** Products that are indexed at a stretch: a few milliseconds, also on a phone. */
const PRODUCTS_PER_STEP = 100

/** The last builds: of the catalogue, and of the one for visitors who save data, which has the same texts. */
let latest: Build | undefined

/**
 * The index of a catalogue, built when it is first searched: of a small catalogue at once, else in steps with pauses, for
 * which whoever waits takes turns. Workers tie a timer to the request that set it, so no request waits for another's.
 */
export function searchIndex(catalogue: Catalogue): SearchIndex | Promise<SearchIndex> {
  if (!latest || !hasSameTexts(latest.catalogue, catalogue)) latest = newBuild(catalogue)
  const build = latest
  buildStep(build)
  return isComplete(build) ? build : finished(build)
}

async function finished(build: Build): Promise<SearchIndex> {
  while (!isComplete(build)) {
    await new Promise((resolve) => setTimeout(resolve))
    buildStep(build)
  }
  return build
}

function isComplete({ catalogue, indexed }: Build): boolean {
  return indexed >= catalogue.length
}

function newBuild(catalogue: Catalogue): Build {
  const stems = new Map<string, string>()
  const names = new Set<string>()
  const engine = new MiniSearch<{ id: number } & Pick<Product, 'title' | 'category' | 'description'>>({
    fields: Object.keys(FIELD_WEIGHTS),
    tokenize: wordsOf,
    processTerm(word, field) {
      if (field === undefined) return stem(word)
      if (field !== 'description') names.add(word)
      const known = stems.get(word) ?? stem(word)
      stems.set(word, known)
      return known
    },
  })
  return { engine, stems, names, catalogue, indexed: 0 }
}

function buildStep(build: Build): void {
  const { catalogue, engine, indexed } = build
  const step = catalogue.slice(indexed, indexed + PRODUCTS_PER_STEP)
  build.indexed += step.length
  engine.addAll(
    step.map(({ title, category, description }, index) => ({
      id: indexed + index,
      title,
      category,
      description,
    })),
  )
}

/** Whether an index of one catalogue is that of another: they may differ in stock and pictures. */
function hasSameTexts(one: Catalogue, other: Catalogue): boolean {
  if (one === other) return true
  return (
    one.length === other.length &&
    one.every(({ title, category, description }, index) => {
      const same = other[index]
      return title === same?.title && category === same.category && description === same.description
    })
  )
}
