import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { colours } from '#shared/colours.ts'
import { recolourSvg } from './repaint.ts'

const TOKENS_FILE = 'src/client/styles/tokens.css'
const COLOUR_PATTERN = /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|oklch)\([^v)]*\)/gi

describe('the shop’s colours', () => {
  it('are the same in tokens.css and colours.ts', () => {
    const tokens = [...readFileSync(TOKENS_FILE, 'utf8').matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)]
    const namedColours = tokens.map(([, name = '', hex]) => [
      name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()),
      hex,
    ])
    expect(Object.fromEntries(namedColours)).toEqual(colours)
  })

  it('appear nowhere else in the code', () => {
    const allowed = [TOKENS_FILE, 'src/shared/colours.ts', 'src/tools/pictures/repaint.ts']
    const files = globSync('src/**/*.{ts,tsx,css,js}').filter(
      (file) => !allowed.includes(file) && !/\.test\.tsx?$|src\/tools\/measure/.test(file),
    )
    const foundColours = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => /colou?r|background|fill|stroke|gradient|outline|border|shadow/i.test(line))
        .flatMap((line) =>
          [...line.matchAll(COLOUR_PATTERN)]
            .map(([colour]) => `${file}: ${colour}`)
            .filter((text) => !/#0{3}[0-9a-f]?$/.test(text)),
        ),
    )
    expect(foundColours).toEqual([])
  })

  it('recolour the drawings', () => {
    const svg = '<svg><path fill="#A6492B" stroke="#faf5ea"/><path fill="#d9b98a"/></svg>'
    expect(recolourSvg(svg)).toBe(svg)
    expect(recolourSvg(svg, { ...colours, clay: '#123456', cotton: '#ffffff' })).toBe(
      '<svg><path fill="#123456" stroke="#ffffff"/><path fill="#d9b98a"/></svg>',
    )
  })
})
