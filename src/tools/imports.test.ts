import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

type Import = { from: string; to: string }

const SIDES = ['shared', 'server', 'client', 'office']
const NOT_FEATURES = ['platform', 'app', 'ui', 'styles']
const IMPORT_PATTERN = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g

function findImports(file: string, source: string): Import[] {
  return [...source.matchAll(IMPORT_PATTERN)].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('#')) return { from: file, to: `src/${specifier.slice(1)}` }
    return specifier.startsWith('.') ? { from: file, to: path.join(path.dirname(file), specifier) } : []
  })
}

function parseFeature(file: string, side: string): string | undefined {
  const feature = new RegExp(`^src/${side}/([^/]+)/`).exec(file)?.[1]
  return feature && !NOT_FEATURES.includes(feature) ? feature : undefined
}

function findFeatureCycles(side: string, imports: readonly Import[]): string[] {
  const edges = imports.flatMap(({ from, to }) => {
    const [feature, imported] = [parseFeature(from, side), parseFeature(to, side)]
    return feature && imported && feature !== imported ? [{ feature, imported, from, to }] : []
  })
  const findReachable = (start: string, seen = new Set([start])): Set<string> => {
    for (const { feature, imported } of edges) {
      if (feature !== start || seen.has(imported)) continue
      seen.add(imported)
      findReachable(imported, seen)
    }
    return seen
  }
  return edges
    .filter(({ feature, imported }) => findReachable(imported).has(feature))
    .map(
      ({ feature, imported, from, to }) =>
        `${side}/${feature} → ${side}/${imported}: ${from} imports ${to}, and ${imported} depends on ${feature}`,
    )
}

describe('features', () => {
  it.each(SIDES)('in src/%s have no import cycles', (side) => {
    const files = globSync(`src/${side}/*/**/*.{ts,tsx}`).filter((file) => !/\.test\.tsx?$/.test(file))
    const imports = files.flatMap((file) => findImports(file, readFileSync(file, 'utf8')))
    expect(imports.length).toBeGreaterThan(0)
    expect(findFeatureCycles(side, imports)).toEqual([])
  })

  it('are reported when three of them import each other in a cycle, with any kind of import', () => {
    const imports = [
      ...findImports('src/server/one/a.ts', `import { b } from '#server/two/b.ts'`),
      ...findImports('src/server/two/b.ts', `import type { C } from '../three/c.ts'`),
      ...findImports('src/server/three/c.ts', `const one = () => import('#server/one/d.ts')`),
      ...findImports('src/server/four/e.ts', `import '#server/one/d.ts'`),
      ...findImports('src/server/one/d.ts', `import { f } from '#server/platform/f.ts'`),
    ]
    expect(findFeatureCycles('server', imports)).toEqual([
      'server/one → server/two: src/server/one/a.ts imports src/server/two/b.ts, and two depends on one',
      'server/two → server/three: src/server/two/b.ts imports src/server/three/c.ts, and three depends on two',
      'server/three → server/one: src/server/three/c.ts imports src/server/one/d.ts, and one depends on three',
    ])
    expect(findFeatureCycles('server', imports.slice(1))).toEqual([])
  })
})
