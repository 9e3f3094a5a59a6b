import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { APPLIED_TABLE, migrate, openLocalDatabase, seed } from './local-database.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pamba-state-'))
let local: Awaited<ReturnType<typeof openLocalDatabase>>
beforeAll(async () => {
  local = await openLocalDatabase(folder)
})
afterAll(async () => {
  await local.close()
  rmSync(folder, { recursive: true })
})

it('migrates and seeds a new database once; later runs leave its rows as they are', async () => {
  const { db } = local
  const files = readdirSync('migrations').filter((file) => file.endsWith('.sql'))
  expect(await migrate(db)).toEqual(files.sort())
  await seed(db)
  await db.prepare("UPDATE promotions SET uses = 7 WHERE code = 'KARIBU10'").run()
  expect(await migrate(db)).toEqual([])
  await seed(db)
  expect(await db.prepare("SELECT uses FROM promotions WHERE code = 'KARIBU10'").first('uses')).toBe(7)
  const { results } = await db.prepare('SELECT name FROM d1_migrations ORDER BY id').all()
  expect(results.map(({ name }) => name)).toEqual(files)
})

it('records what was applied in the table of `wrangler d1 migrations`', () => {
  // Running wrangler's command would take seconds; its source has the table's definition.
  const source = oneSpace(readFileSync(createRequire(import.meta.url).resolve('wrangler'), 'utf8'))
  expect(source).toContain(oneSpace(APPLIED_TABLE.slice(APPLIED_TABLE.indexOf('('), -1)))
})

const oneSpace = (text: string) => text.replace(/\s+/g, ' ').trim()
