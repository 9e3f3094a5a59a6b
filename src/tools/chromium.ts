import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]

/** What to tell a person whose machine has no Chromium. */
export const CHROMIUM_ADVICE =
  'No Chromium was found for the browser tests. Get one with `apt-get install chromium`, with ' +
  'Google Chrome, or with `npx playwright-core install chromium`; CHROMIUM_PATH names one that lies elsewhere.'

/** A Chromium on this machine: Debian's, Chrome, or Playwright's own; undefined when there is none. */
export function chromiumPath(exists = existsSync): string | undefined {
  return [...PLACES, playwrightsOwn()].find((place) => place && exists(place))
}

function playwrightsOwn(): string | undefined {
  try {
    return chromium.executablePath()
  } catch {
    return undefined
  }
}

/** A whole Chromium, headless, that talks to nothing but what it is sent to. */
export function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const args = [...ARGS, ...(options.args ?? [])]
  return chromium.launch({ executablePath: chromiumPath() ?? '', ...options, args })
}

/**
 * Where Chromium's shell without windows is, with which journeys are a sixth less work; it has no back/forward cache.
 * It is unpacked on first use, beside the packed one, so that it goes with its package. The whole Chromium where
 * CHROMIUM_PATH names one or no package brings a shell for this machine.
 */
export async function headlessShellPath(): Promise<string> {
  const isPackaged = process.platform === 'linux' && process.arch === 'x64'
  if (process.env.CHROMIUM_PATH || !isPackaged) return chromiumPath() ?? ''
  const require = createRequire(import.meta.url)
  const packed = path.join(require.resolve('@sparticuz/chromium'), '../../bin/chromium.br')
  const shell = packed.replace(/\.br$/, '')
  if (!existsSync(shell)) {
    const unfinished = `${shell}.${process.pid}`
    const file = createWriteStream(unfinished, { mode: 0o755 })
    await pipeline(createReadStream(packed), createBrotliDecompress(), file)
    await rename(unfinished, shell)
  }
  return shell
}
