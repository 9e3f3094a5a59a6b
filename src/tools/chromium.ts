import { existsSync } from 'node:fs'
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

/** Debian's Chromium without windows: a tenth less work for the journeys, but no back/forward cache. */
const SHELL = '/usr/bin/chromium-headless-shell'

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]

/** What to tell a person whose machine has no Chromium. */
export const CHROMIUM_ADVICE =
  'No Chromium was found for the browser tests. Get one with `apt-get install chromium chromium-headless-shell`, with ' +
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
 * Journeys ask the page, and look at no picture of it: no tile gets the memory to be drawn into. Their pages are gone
 * before compiling code for speed would pay.
 */
const FOR_JOURNEYS = ['--js-flags=--no-maglev --no-turbofan', '--force-gpu-mem-available-mb=0']

/** The lightest Chromium there is, for the journeys. */
export function launchHeadlessShell(): Promise<Browser> {
  const isShellThere = !process.env.CHROMIUM_PATH && existsSync(SHELL)
  return launchChromium({ args: FOR_JOURNEYS, ...(isShellThere && { executablePath: SHELL }) })
}
