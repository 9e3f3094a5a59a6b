import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { STATE_FOLDER } from './local-shop.ts'
import { runCommand } from './shop/commands.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'pamba-operator-'))
for (const part of ['wrangler.toml', 'migrations'])
  symlinkSync(path.join(root, part), path.join(folder, part))
afterAll(() => rmSync(folder, { recursive: true }))

it('npm run shop prints only JSON with --json, and creates the database before the first npm start', async () => {
  const script = path.join(root, 'src/tools/shop.ts')
  const words = ['promotions', 'create', 'KARIBU', '--fixed', '200', '--json']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...words], { cwd: folder })
  const created = { code: 'KARIBU', kind: 'fixed', value: 20_000 }
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject(created)
  const files = globSync(path.join(folder, STATE_FOLDER, 'v3/d1/miniflare-D1DatabaseObject/*.sqlite'))
  const storedPromotions = files.flatMap((file) => {
    const database = new DatabaseSync(file)
    const hasPromotions = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'promotions'").get()
    const rows = hasPromotions ? database.prepare('SELECT code, kind, value FROM promotions').all() : []
    database.close()
    return rows
  })
  expect(storedPromotions).toEqual([created])
})

describe('npm run shop', () => {
  const runOffline = (...argv: string[]) =>
    runCommand(argv, () => Promise.reject(new Error('The database must not be opened.')))

  it.each([[[]], [['help']], [['orders', '--help']]])('prints the help for %j', async (argv) => {
    expect(await runOffline(...argv)).toContain('orders status <number> <new>')
  })

  it.each([
    [['oders'], 'Unknown command "oders". See: npm run shop -- help'],
    [['catalogue'], 'Unknown command "catalogue". See: npm run shop -- help'],
    [['orders', 'show'], 'Usage: npm run shop -- orders show <number>'],
    [['orders', 'show', 'a', 'b'], 'Usage: npm run shop -- orders show <number>'],
    [['emails', '--status', 'paid'], "Unknown option '--status'. Usage: npm run shop -- emails"],
    [['orders', 'refund', 'a', '--amount'], /^Option '--amount <value>' argument missing\. Usage: /],
    [['orders', 'refund', 'a', '--done=1'], /^Option '--done' does not take an argument\. Usage: /],
  ])('refuses %j before the database is opened', async (argv, sentence) => {
    await expect(runOffline(...argv)).rejects.toThrow(sentence)
  })

  it('opens the local database, or the remote one with --remote', async () => {
    const targets: unknown[] = []
    const open = async (isRemote: boolean) => {
      targets.push(isRemote)
      throw new Error('Closed.')
    }
    for (const options of [[], ['--remote']])
      await expect(runCommand(['promotions', ...options], open)).rejects.toThrow('Closed.')
    expect(targets).toEqual([false, true])
  })
})
