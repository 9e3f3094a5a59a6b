import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

const STYLESHEET = 'src/client/styles/fonts.css'
const ALIAS = 'subset-fonts'
const FACE = /@font-face\s*{[^}]*url\('subset-fonts\/([\w-]+)\.woff2'\)[^}]*}/g

/** Creates fonts.css's `subset-fonts/<family>.woff2` from the font packages, reduced to the rule's `unicode-range` and `font-weight`. */
export function subsetFonts(): Plugin {
  return {
    name: 'pamba:subset-fonts',
    async config({ root = process.cwd(), cacheDir = 'node_modules/.vite' }) {
      const css = readFileSync(path.join(root, STYLESHEET), 'utf8')
      const recipe = createHash('sha256')
        .update(css)
        .update(readFileSync(import.meta.filename))
        .digest('hex')
      const folder = path.join(root, cacheDir, 'fonts', recipe.slice(0, 16))
      for (const [rule, family = ''] of css.matchAll(FACE)) {
        const file = path.join(folder, `${family}.woff2`)
        if (!existsSync(file)) writeAtomically(file, await createSubset(root, family, rule))
      }
      return { resolve: { alias: { [ALIAS]: folder } } }
    },
  }
}

function createSubset(root: string, family: string, rule: string): Promise<Buffer> {
  const name = `@fontsource-variable/${family}/files/${family}-latin-wght-normal.woff2`
  const font = readFileSync(path.join(root, 'node_modules', name))
  const [from = Number.NaN, to = from] = descriptor(rule, 'font-weight').split(' ').map(Number)
  const wght = from === to ? from : { min: from, max: to }
  return subsetFont(font, characters(descriptor(rule, 'unicode-range')), {
    targetFormat: 'woff2',
    variationAxes: { wght },
  })
}

function descriptor(rule: string, name: string): string {
  const value = new RegExp(`${name}:([^;]+);`).exec(rule)?.[1]
  if (!value) throw new Error(`${STYLESHEET}: a face made from ${ALIAS} needs ${name}.`)
  return value.trim()
}

function characters(range: string): string {
  return range
    .split(',')
    .map((part) => {
      const [from = Number.NaN, to = from] = part
        .trim()
        .replace(/^U\+/i, '')
        .split('-')
        .map((hex) => Number.parseInt(hex, 16))
      return String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, i) => from + i))
    })
    .join('')
}

function writeAtomically(file: string, content: Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, content)
  renameSync(partial, file)
}
