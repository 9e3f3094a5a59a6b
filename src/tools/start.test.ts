import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ToolError } from './command.ts'
import { findOfficePort, parsePort } from './ports.ts'
import { requireStartable } from './start.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function createCheckout(files: Record<string, string>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pamba-start-'))
  folders.push(folder)
  mkdirSync(path.join(folder, 'public'))
  for (const file of ['wrangler.toml', 'public/Items.json'])
    if (files[file] === undefined) symlinkSync(path.join(root, file), path.join(folder, file))
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text)
  return folder
}

/** Runs in this process, because starting a new one for each case would be slow. */
async function findStartProblem(cwd: string, port = 5999): Promise<string> {
  const before = process.cwd()
  process.chdir(cwd)
  try {
    await requireStartable(port)
    return ''
  } catch (error) {
    if (error instanceof ToolError) return error.message
    throw error
  } finally {
    process.chdir(before)
  }
}

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

describe('npm start reports in one sentence', () => {
  it('that PORT is not a port', async () => {
    const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string }>()
    execFile(
      process.execPath,
      [path.join(root, 'src/tools/start.ts')],
      { env: { ...process.env, PORT: 'abc' } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
    expect(await promise).toEqual({
      code: 1,
      output: 'PORT must be a number from 1 to 65535; it is "abc".\n',
    })
    for (const port of ['0', '65536', '80.5', '-1', '1e3'])
      await expect(parsePort(port)).rejects.toThrow(`PORT must be a number from 1 to 65535; it is "${port}".`)
  })

  it('that browsers block the port, and never gives the office such a port', async () => {
    for (const port of ['6000', '5060', '10080'])
      await expect(parsePort(port)).rejects.toThrow(
        `Browsers block port ${port}. Choose another: PORT=5000 npm start`,
      )
    expect(await findOfficePort(5999)).not.toBe(6000)
    await expect(fetch('http://localhost:6000')).rejects.toMatchObject({ cause: { message: 'bad port' } })
  })

  it.each(['127.0.0.1', '::'])('that the port is in use on %s', async (host) => {
    const other = createServer()
    const port = await new Promise<number>((resolve) => {
      other.listen({ port: 0, host }, () => {
        const address = other.address()
        resolve(address && typeof address === 'object' ? address.port : 0)
      })
    })
    expect(await findStartProblem(root, port)).toBe(
      `Port ${port} is in use. Stop the program using it, or choose another: PORT=5000 npm start`,
    )
    other.close()
  })

  it('the broken item and field of the catalogue', async () => {
    const items = JSON.parse(read('public/Items.json')) as Record<string, unknown>[]
    Object.assign(items[2] ?? {}, { price: 0 })
    expect(await findStartProblem(createCheckout({ 'public/Items.json': JSON.stringify(items) }))).toMatch(
      /^public\/Items\.json is invalid\. Item 3 \(ID \d+\): Price must be above 0$/,
    )
  })

  it('that the catalogue is not JSON', async () => {
    expect(await findStartProblem(createCheckout({ 'public/Items.json': '[{' }))).toMatch(
      /^public\/Items\.json is invalid\. [^\n]+$/,
    )
  })

  it('the malformed line of wrangler.toml', async () => {
    expect(
      await findStartProblem(createCheckout({ 'wrangler.toml': 'name = "pamba"\n[[d1_databases]\n' })),
    ).toMatch(/^Couldn't read wrangler\.toml: line 2: [^\n]+$/)
  })

  it('the invalid value in wrangler.toml', async () => {
    const toml = read('wrangler.toml').replace(/^main = .*$/m, 'main = 3')
    expect(await findStartProblem(createCheckout({ 'wrangler.toml': toml }))).toMatch(
      /^Couldn't read wrangler\.toml: Expected "main" to be of type string[^\n]+$/,
    )
  })

  it('the invalid settings in .dev.vars', async () => {
    expect(
      await findStartProblem(createCheckout({ '.dev.vars': 'COOKIE_SECRET=short\nSITE_ORIGIN=pamba\n' })),
    ).toBe(
      'The shop isn’t configured: COOKIE_SECRET must have at least 32 characters; ' +
        'SITE_ORIGIN must be an https address.',
    )
  })

  it('that the database binding is missing from wrangler.toml', async () => {
    const toml = read('wrangler.toml').replaceAll('binding = "DB"', 'binding = "BASE"')
    expect(await findStartProblem(createCheckout({ 'wrangler.toml': toml }))).toBe(
      "The shop isn't configured: the DB binding is missing from wrangler.toml.",
    )
  })
})
