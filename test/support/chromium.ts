import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** A Chromium on this machine: Debian's, Chrome, or Playwright's own; undefined when there is none. */
export function chromiumPath(): string | undefined {
  return [...PLACES, playwrightsOwn()].find((place) => place && existsSync(place))
}

function playwrightsOwn(): string | undefined {
  try {
    return chromium.executablePath()
  } catch {
    return undefined
  }
}
