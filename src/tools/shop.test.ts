import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'pamba-operator-'))
for (const part of ['wrangler.toml', 'migrations'])
  symlinkSync(path.join(root, part), path.join(folder, part))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs an operator's command on a database of its own. */
function shop(...words: string[]) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'src/tools/shop.ts'), ...words],
      { cwd: folder },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

it('answers scripts with nothing but JSON, also before the shop was ever started', async () => {
  expect(await shop('orders', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
})

it('keeps what it wrote', async () => {
  await shop('promotions', 'create', 'KEPT', '--fixed', '200')
  expect(await shop('promotions')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/KEPT +running +KSH 200/),
  })
})

it('refuses with a sentence and a status that scripts notice', async () => {
  expect(await shop('orders', 'show', 'P-NOWHERE')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is no order P-NOWHERE. The latest: npm run shop -- orders\n',
  })
})
