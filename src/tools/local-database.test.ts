import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { migrate, openLocalDatabase } from './local-database.ts'
import { prepareDatabase } from './local-shop.ts'
import { wranglerCommand } from './wrangler.ts'

const folders: string[] = []
const stateFolder = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pamba-state-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

it('migrates and seeds a new database, and keeps what it holds the next time', async () => {
  const folder = stateFolder()
  await prepareDatabase(folder)
  const first = await openLocalDatabase(folder)
  await first.db.prepare("UPDATE promotions SET uses = 7 WHERE code = 'KARIBU10'").run()
  await first.close()
  await prepareDatabase(folder)
  const { db, close } = await openLocalDatabase(folder)
  expect(await db.prepare("SELECT uses FROM promotions WHERE code = 'KARIBU10'").first('uses')).toBe(7)
  await close()
})

it('applies the same migrations as `wrangler d1 migrations apply --local`', async () => {
  const folder = stateFolder()
  const where = ['--local', '--persist-to', folder]
  await wranglerCommand(['d1', 'migrations', 'apply', 'DB', ...where], 'Wrangler could not migrate.')
  const { db, close } = await openLocalDatabase(folder)
  const { results } = await db.prepare('SELECT name FROM d1_migrations ORDER BY id').all()
  expect(results.map(({ name }) => name)).toEqual(
    readdirSync('migrations')
      .filter((file) => file.endsWith('.sql'))
      .sort(),
  )
  expect(await migrate(db)).toEqual([])
  await close()
})
