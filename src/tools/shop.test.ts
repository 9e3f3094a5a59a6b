import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { STATE_FOLDER } from './local-shop.ts'
import { runShop } from './shop.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'pamba-operator-'))
for (const part of ['wrangler.toml', 'migrations'])
  symlinkSync(path.join(root, part), path.join(folder, part))
afterAll(() => rmSync(folder, { recursive: true }))

it('answers scripts with nothing but JSON, and what it wrote lasts, also before the shop was ever started', async () => {
  const script = path.join(root, 'src/tools/shop.ts')
  const words = ['promotions', 'create', 'KARIBU', '--fixed', '200', '--json']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...words], { cwd: folder })
  const created = { code: 'KARIBU', kind: 'fixed', value: 20_000 }
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject(created)
  const files = globSync(path.join(folder, STATE_FOLDER, 'v3/d1/miniflare-D1DatabaseObject/*.sqlite'))
  const stored = files.flatMap((file) => {
    const database = new DatabaseSync(file)
    const hasPromotions = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'promotions'").get()
    const rows = hasPromotions ? database.prepare('SELECT code, kind, value FROM promotions').all() : []
    database.close()
    return rows
  })
  expect(stored).toEqual([created])
})

describe('the words of a command', () => {
  const refused = (...argv: string[]) =>
    runShop(argv, () => Promise.reject(new Error('The database was opened for nothing.')))

  it.each([[[]], [['help']], [['orders', '--help']]])('%j shows what there is', async (argv) => {
    expect(await refused(...argv)).toContain('orders status <number> <new>')
  })

  it.each([
    [['oders'], /^There is no "oders"\. There are: orders, .+, help\.$/],
    [['orders', 'show'], /^It is one of:\n {2}npm run shop -- orders \[list\]/],
    [['orders', 'show', 'a', 'b'], /^It is one of:/],
    [['mail', '--status', 'paid'], '--status does not belong here: mail [stuck]'],
    [['orders', '--nothing'], "Unknown option '--nothing'. What there is: npm run shop -- help"],
    [['orders', '--env', 'production'], '--env needs --remote.'],
  ])('%j is refused before any database is opened', async (argv, sentence) => {
    await expect(refused(...argv)).rejects.toThrow(sentence)
  })

  it('say which database is meant', async () => {
    const targets: unknown[] = []
    const open = async (target: object) => {
      targets.push(target)
      throw new Error('It is closed.')
    }
    for (const options of [[], ['--remote'], ['--remote', '--env', 'staging']])
      await expect(runShop(['promotions', ...options], open)).rejects.toThrow('It is closed.')
    expect(targets).toEqual([
      { remote: false, environment: 'production' },
      { remote: true, environment: 'production' },
      { remote: true, environment: 'staging' },
    ])
  })
})
