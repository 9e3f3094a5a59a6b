import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const CHROMIUM_PATHS = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]

export const CHROMIUM_ADVICE =
  'Install Google Chrome, run `apt-get install chromium` or `npx playwright-core install chromium`, ' +
  'or set CHROMIUM_PATH.'

export function findChromium(): string | undefined {
  return [...CHROMIUM_PATHS, findPlaywrightChromium()].find((file) => file && existsSync(file))
}

function findPlaywrightChromium(): string | undefined {
  try {
    return chromium.executablePath()
  } catch {
    return undefined
  }
}

export function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const args = [...CHROMIUM_ARGS, ...(options.args ?? [])]
  const env = { ...process.env, ...options.env }
  return chromium.launch({ executablePath: findChromium() ?? '', ...options, args, env })
}
