import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openLocalDatabase } from './local-database.ts'
import { STATE_FOLDER } from './local-shop.ts'
import { runShop } from './shop.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'pamba-operator-'))
for (const part of ['wrangler.toml', 'migrations'])
  symlinkSync(path.join(root, part), path.join(folder, part))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs an operator's command on a database of its own. */
function shop(...words: string[]) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'src/tools/shop.ts'), ...words],
      { cwd: folder },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

it('answers scripts with nothing but JSON, and what it wrote lasts, also before the shop was ever started', async () => {
  const created = { code: 'KARIBU', kind: 'fixed', value: 20_000 }
  const { stdout, ...rest } = await shop('promotions', 'create', 'KARIBU', '--fixed', '200', '--json')
  expect(rest).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject(created)
  const { db, close } = await openLocalDatabase(path.join(folder, STATE_FOLDER))
  expect(await db.prepare('SELECT code, kind, value FROM promotions').all()).toMatchObject({
    results: [created],
  })
  await close()
})

it('publishes the catalogue’s file, and writes the published one back', async () => {
  const file = path.join(folder, 'public/Items.json')
  const items = JSON.parse(readFileSync(path.join(root, 'public/Items.json'), 'utf8')) as object[]
  const write = (products: object[]) => writeFileSync(file, JSON.stringify(products))
  mkdirSync(path.dirname(file))
  write(items.slice(0, 2))
  expect((await shop('catalogue', 'push')).stdout).toBe(
    'Version 1 is published. Shoppers see it within a minute.\n',
  )
  write([])
  expect((await shop('catalogue', 'pull')).stdout).toContain('is version 1 now, with 2 products.')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(items.slice(0, 2))
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
    [['orders', '--env', 'production'], '--env names a remote database: it goes with --remote.'],
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
