import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  CREATE_MIGRATIONS_TABLE,
  migrateDatabase,
  openLocalDatabase,
  seedDatabase,
} from './local-database.ts'
import { createShopContext, runCommand } from './shop/commands.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pamba-state-'))
let local: Awaited<ReturnType<typeof openLocalDatabase>>
beforeAll(async () => {
  local = await openLocalDatabase(folder)
})
afterAll(async () => {
  await local.close()
  rmSync(folder, { recursive: true })
})

it('a new local database is migrated and seeded once, and keeps its rows on later runs', async () => {
  const { db } = local
  const files = readdirSync('migrations').filter((file) => file.endsWith('.sql'))
  expect(await migrateDatabase(db)).toEqual(files.sort())
  await seedDatabase(db)
  await db.prepare("UPDATE promotions SET uses = 7 WHERE code = 'KARIBU10'").run()
  expect(await migrateDatabase(db)).toEqual([])
  await seedDatabase(db)
  expect(await db.prepare("SELECT uses FROM promotions WHERE code = 'KARIBU10'").first('uses')).toBe(7)
  const { results } = await db.prepare('SELECT name FROM d1_migrations ORDER BY id').all()
  expect(results.map(({ name }) => name)).toEqual(files)
})

it('the catalogue commands publish the catalogue from its file and write it back', async () => {
  const file = path.join(folder, 'public/Items.json')
  const items = JSON.parse(readFileSync('public/Items.json', 'utf8')) as object[]
  const write = (products: object[]) => writeFileSync(file, JSON.stringify(products))
  const run = (...argv: string[]) => runCommand(argv, async () => createShopContext(local))
  mkdirSync(path.dirname(file))
  write(items.slice(0, 2))
  const root = process.cwd()
  process.chdir(folder)
  onTestFinished(() => process.chdir(root))
  expect(await run('catalogue', 'push')).toBe('Published version 1. Customers will see it within a minute.')
  write([])
  expect(await run('catalogue', 'pull')).toContain('is now version 1, with 2 products.')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(items.slice(0, 2))
})

it('local migrations are recorded in the table of `wrangler d1 migrations`', () => {
  // The test reads wrangler's source, because running wrangler is slow.
  const source = readFileSync(createRequire(import.meta.url).resolve('wrangler'), 'utf8')
  const columns = collapseSpaces(CREATE_MIGRATIONS_TABLE.slice(CREATE_MIGRATIONS_TABLE.indexOf('('), -1))
  const tables = source.split('CREATE TABLE IF NOT EXISTS').slice(1)
  expect(
    tables.map((table) => collapseSpaces(table.slice(0, 2 * CREATE_MIGRATIONS_TABLE.length))).join('\n'),
  ).toContain(columns)
})

const collapseSpaces = (text: string) => text.replace(/\s+/g, ' ').trim()
