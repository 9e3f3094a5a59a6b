import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTING_NAMES } from '#server/env.ts'
import type { Call } from '#shared/api-call.ts'
import { type Page, routes } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

const read = (file: string) => readFileSync(file, 'utf8')
const manifest = JSON.parse(read('package.json')) as Record<
  'scripts' | 'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>

const specification = read('docs/specification.md')
const decisions = readdirSync('docs/decisions')
const pages = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
  ...decisions.map((file) => `docs/decisions/${file}`),
]

function parseFirstColumn(page: string): string[] {
  const cells = read(page)
    .split('\n')
    .flatMap((line) => /^\| (`[^|]*)\|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

const collapseSpaces = (text: string) => text.replace(/\s+/g, ' ').trim()

function parseTour(): { folder: string; named: string[]; features: string[] }[] {
  const [, tree = ''] = /## A tour of the code.*?```\n(.*?)```/s.exec(read('README.md')) ?? []
  const firstWord = (text: string) => text.split(' ')[0] ?? ''
  return tree.split(/^(?=\S)/m).map((entry) => {
    const [folder = '', ...parts] = entry.split(/^ {2}(?=\S)/m)
    const list = parts
      .find((part) => part.startsWith('<'))
      ?.split(':')
      .at(-1)
    return {
      folder: firstWord(folder),
      named: parts.filter((part) => !part.startsWith('<')).map((part) => firstWord(folder) + firstWord(part)),
      features: list?.trim().split(/\s+/) ?? [],
    }
  })
}

function findSourceFiles(...folders: string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
    )
    .filter((file) => /\.(ts|tsx|css)$/.test(file))
}

const isCall = (value: Partial<Call>): value is Call => Boolean(value.method && value.path && value.request)

describe('the documents', () => {
  it('have a row for every setting and no others', () => {
    const names = parseFirstColumn('docs/operating.md').filter((name) => /^[A-Z_]+$/.test(name))
    expect(names.toSorted()).toEqual([...SETTING_NAMES].sort())
  })

  it('list every direct dependency and no others', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    expect(parseFirstColumn('docs/dependencies.md').toSorted()).toEqual(names.sort())
  })

  it('name existing tests for every line of the abuse model', () => {
    const [, model = ''] = /## Abuse\n(.*?)\n## /s.exec(read('docs/failures.md')) ?? []
    const lines = model.split('\n').filter((line) => /^\| (?!Risk|-)/.test(line) && !line.startsWith('|---'))
    expect(lines.length).toBeGreaterThan(15)
    for (const line of lines) {
      const files = [...(line.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) =>
        name.includes('/') ? name : `test/http/${name}.test.ts`,
      )
      expect(files, line).not.toEqual([])
      for (const file of files) expect(existsSync(file), file).toBe(true)
    }
  })

  it.each(pages)('link only to files that exist: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) =>
      path.join(path.dirname(page), link),
    )
    const paths = [...read(page).matchAll(/`((?:src|test|docs|public|migrations|\.ci)\/[\w./-]*)`/g)].map(
      ([, file = '']) => file,
    )
    expect([...links, ...paths].filter((file) => !existsSync(file))).toEqual([])
  })

  it.each(parseTour())('name only folders that exist, and every feature, in $folder', (entry) => {
    const { folder, named, features } = entry
    expect([folder, ...named].filter((path) => !existsSync(path))).toEqual([])
    if (features.length === 0) return
    const notFeatures = ['platform', 'app', 'ui', 'styles']
    const folders = readdirSync(folder, { withFileTypes: true })
      .filter((file) => file.isDirectory() && !notFeatures.includes(file.name))
      .map(({ name }) => name)
    expect(features.toSorted()).toEqual(folders.toSorted())
  })

  it.each(pages)('name only commands that exist: %s', (page) => {
    const scripts = [...read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name)
    expect(scripts.filter((name) => !manifest.scripts[name])).toEqual([])
  })

  it('contain every section of the specification that the code cites', () => {
    const sections = [...specification.matchAll(/^## (§ \d)/gm)].map(([, name]) => name)
    const cited = findSourceFiles('src', 'test')
      .flatMap((file) => [...read(file).matchAll(/§§? (\d+(?:(?:, | and )\d+)*)/g)])
      .flatMap(([, numbers = '']) => numbers.split(/, | and /).map((number) => `§ ${number}`))
    expect(new Set(cited).difference(new Set(sections))).toEqual(new Set())
    expect(sections).toHaveLength(9)
  })

  it('quote the shop’s texts exactly', () => {
    const source = collapseSpaces(
      findSourceFiles('src/shared', 'src/client').map(read).join(' ').replaceAll("\\'", "'"),
    )
    const quoted = [/"([^"]+)"/g, /^\|[^|]*\|[^|]*\| ([A-Z][^|`]+) \|$/gm].flatMap((pattern) => [
      ...specification.matchAll(pattern),
    ])
    // The source has only the text between these values, which the code inserts.
    const placeholder = new RegExp(`\\{[^}]*\\}|\\d+|${shop.currency}|${shop.name}`)
    const pieces = quoted.flatMap(([, text = '']) => text.split(placeholder)).map(collapseSpaces)
    expect(pieces.filter((piece) => !source.includes(piece))).toEqual([])
  })

  it('describe every page in a row of the specification (§ 2)', () => {
    const rows = Object.values<Page>(routes).map(({ path, needsLogin }) => {
      const address = path.replace(/:(\w+)/g, '{$1}')
      return new RegExp(
        `^\\| \`${RegExp.escape(address)}\` \\| .+ \\| ${needsLogin ? 'signed in' : 'public'} \\|$`,
        'm',
      )
    })
    expect(rows.filter((row) => !row.test(specification))).toEqual([])
  })

  it('describe every call in a row of the specification (§ 7)', async () => {
    const contracts = await Promise.all(
      globSync('src/shared/*/*contract.ts').map((file) => import(path.resolve(file))),
    )
    const calls = contracts.flatMap((contract) => Object.values<Partial<Call>>(contract).filter(isCall))
    const rows = calls.map(
      ({ method, path }) => `| ${method} | \`${path.startsWith('/v1/') ? '' : '/api'}${path}`,
    )
    expect(rows.length).toBeGreaterThan(9)
    expect(rows.filter((row) => !specification.includes(row))).toEqual([])
  })

  it('number the decisions without gaps', () => {
    expect(decisions.toSorted().map((file) => file.slice(0, 4))).toEqual(
      decisions.map((_, index) => `${String(index + 1).padStart(3, '0')}-`),
    )
  })
})

it('package.json names exact versions of the dependencies', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})

it('the shop’s texts take the currency and the order prefix from shop.ts', () => {
  // The messages in these files aren't the shop's texts: they describe a file format, M-Pesa's limits or errors
  // for engineers.
  const fixed = /checkout\/delivery\.ts|orders\/contract\.ts|csv\/(own|export-csv)\.ts|mpesa\/pay-out\.ts/
  const files = globSync('src/{shared,server,client,office}/**/*.{ts,tsx}').filter(
    (file) => !/\.test\.tsx?$|shared\/shop\.ts$/.test(file) && !fixed.test(file),
  )
  const texts = files.flatMap((file) =>
    read(file)
      .replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
      .split('\n')
      .filter((line) => /\bKSH\b|\bP-7K3M9Q/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(texts).toEqual([])
})
