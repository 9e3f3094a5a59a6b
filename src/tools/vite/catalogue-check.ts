import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { catalogueProblem } from '#shared/catalogue/catalogue-issues.ts'

const FILE = 'public/Items.json'

export function catalogueCheck(): Plugin {
  let root = process.cwd()
  return {
    name: 'pamba:catalogue-check',
    apply: 'build',
    configResolved(config) {
      root = config.root
    },
    buildStart() {
      const problem = findCatalogueProblem(root)
      if (problem) this.error(problem)
    },
  }
}

export function findCatalogueProblem(root = '.'): string | undefined {
  const problem = findFileProblem(path.join(root, FILE))
  return problem && `${FILE} is broken. ${problem}`
}

function findFileProblem(file: string): string | undefined {
  try {
    return catalogueProblem(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
