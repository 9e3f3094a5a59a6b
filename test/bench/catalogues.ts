import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** How many products the budgets speak of. */
const USUAL_PRODUCTS = 56
const MANY_PRODUCTS = 5000

/** Copies the built files, with a catalogue of 56 or of 5,000 products made from the shop's own; returns the folder. */
export function withCatalogue(size: 'usual' | 'many', builtFolder: string, workFolder: string): string {
  const folder = path.join(workFolder, `client-${size}`)
  cpSync(builtFolder, folder, { recursive: true })
  const own = JSON.parse(readFileSync(path.join(builtFolder, 'Items.json'), 'utf8')) as object[]
  const count = size === 'usual' ? USUAL_PRODUCTS : MANY_PRODUCTS
  const products = Array.from({ length: count }, (_, index) => ({
    ...own[index % own.length],
    id: index + 1,
  }))
  writeFileSync(path.join(folder, 'Items.json'), JSON.stringify(products))
  return folder
}
