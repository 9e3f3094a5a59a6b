import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { routes } from '#shared/routes.ts'
import { pageName } from './client-assets.ts'

it('every page has a file with its name', () => {
  const names = globSync('src/client/**/*-page.tsx').map(pageName)
  expect(new Set(names)).toEqual(new Set([...Object.keys(routes), 'notFound']))
})

it('shop.css imports every style file', () => {
  const stylesheet = 'src/client/styles/shop.css'
  const imported = [...readFileSync(stylesheet, 'utf8').matchAll(/@import '([^']+)'/g)].map(([, file = '']) =>
    path.join(path.dirname(stylesheet), file),
  )
  expect([...imported, stylesheet].sort()).toEqual(globSync('src/client/**/*.css').sort())
})
