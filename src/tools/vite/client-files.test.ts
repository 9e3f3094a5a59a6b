import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { routes } from '#shared/routes.ts'
import { parsePageName } from './client-assets.ts'

it('every page is in a file with its name', () => {
  const names = globSync('src/client/**/*-page.tsx').map(parsePageName)
  expect(new Set(names)).toEqual(new Set([...Object.keys(routes), 'notFound']))
})

it('shop.css imports every style file', () => {
  const stylesheet = 'src/client/styles/shop.css'
  const imported = [...readFileSync(stylesheet, 'utf8').matchAll(/@import '([^']+)'/g)].map(([, file = '']) =>
    path.join(path.dirname(stylesheet), file),
  )
  expect([...imported, stylesheet].sort()).toEqual(globSync('src/client/**/*.css').sort())
})

it('no character is in two faces of a font family, so that no second face loads for it', () => {
  const styles = readFileSync('src/client/styles/fonts.css', 'utf8')
  const faces = [...styles.matchAll(/font-family: '([^']+)';[^}]*unicode-range: ([^;]+);/g)]
  const characters = faces.flatMap(([, family = '', range = '']) =>
    range.split(',').flatMap((part) => {
      const [from = Number.NaN, to = from] = part
        .trim()
        .slice(2)
        .split('-')
        .map((hex) => Number.parseInt(hex, 16))
      return Array.from({ length: to - from + 1 }, (_, n) => `${family} ${(from + n).toString(16)}`)
    }),
  )
  expect(characters.length).toBeGreaterThan(0)
  expect(characters.filter((character, n) => characters.indexOf(character) !== n)).toEqual([])
})
