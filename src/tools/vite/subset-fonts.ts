import { readFileSync } from 'node:fs'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'
import { CACHE_FOLDER, getCachedFile } from '../pictures/encoded-files.ts'

const STYLESHEET_FILE = 'src/client/styles/fonts.css'
const FONT_FACE_PATTERN =
  /(subset-fonts\/(\w+)\.woff2)[^}]*font-weight: (\d+) ?(\d*);[^}]*unicode-range: ([^;]+);/g

/** Creates the `subset-fonts/<family>.woff2` of fonts.css, reduced to their `unicode-range` and `font-weight`. */
export function subsetFonts(): Plugin {
  return {
    name: 'pamba:subset-fonts',
    async config() {
      const alias: Record<string, string> = {}
      const faces = readFileSync(STYLESHEET_FILE, 'utf8').matchAll(FONT_FACE_PATTERN)
      for (const [, url = '', family = '', min, max, range = ''] of faces) {
        const weight = max ? { min: Number(min), max: Number(max) } : Number(min)
        alias[url] = await subsetFile(family, range, 'woff2', weight)
      }
      return { resolve: { alias } }
    },
  }
}

/** `range` has the syntax of CSS's `unicode-range`, without wildcards. */
export function subsetFile(
  family: string,
  range: string,
  targetFormat: 'woff2' | 'truetype',
  wght: number | { min: number; max: number },
): Promise<string> {
  const folder = `node_modules/@fontsource-variable/${family}/files`
  const font = readFileSync(`${folder}/${family}-latin-wght-normal.woff2`)
  const characters = range.split(',').map((part) => {
    const [from = Number.NaN, to = from] = part
      .replace('U+', '')
      .split('-')
      .map((hex) => Number.parseInt(hex, 16))
    return String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, i) => from + i))
  })
  const options = { targetFormat, variationAxes: { wght } }
  const subset = () => subsetFont(font, characters.join(''), options)
  const inputs = [font, range, JSON.stringify(options)]
  return getCachedFile(inputs, CACHE_FOLDER, subset, `${family}.${targetFormat}`)
}
