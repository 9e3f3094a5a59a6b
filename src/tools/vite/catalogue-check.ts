import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { catalogueProblem } from '#shared/catalogue/catalogue-schema.ts'

const FILE = 'public/Items.json'

/** Refuses to build with a broken `public/Items.json`, naming the item and the field. */
export function catalogueCheck(): Plugin {
  let root = process.cwd()
  return {
    name: 'pamba:catalogue-check',
    apply: 'build',
    configResolved(config) {
      root = config.root
    },
    buildStart() {
      const problem = catalogueFileProblem(root)
      if (problem) this.error(problem)
    },
  }
}

/** What is wrong with the catalogue file, in a sentence; undefined when nothing is. */
export function catalogueFileProblem(root = '.'): string | undefined {
  const problem = problemOf(path.join(root, FILE))
  return problem && `${FILE} is broken. ${problem}`
}

function problemOf(file: string): string | undefined {
  try {
    return catalogueProblem(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
