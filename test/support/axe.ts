import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

/** This is the minified source, because every page parses it. */
const AXE_SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** Matches all but the first four cards of a grid. They aren't checked, to save time. */
const REPEATED_CARDS_SELECTOR = '.grid > :nth-child(n + 5)'

/** Loads axe through DevTools, which evaluates such a long source faster than `page.evaluate`. */
async function load(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const { exceptionDetails } = await devtools.send('Runtime.evaluate', { expression: AXE_SOURCE })
  if (exceptionDetails) throw new Error(exceptionDetails.text)
  await devtools.detach()
}

export async function listViolations(
  page: Page,
  { exclude = [] }: { exclude?: string[] } = {},
): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in window)
  if (!isLoaded) await load(page)
  return page.evaluate(
    async ({ tags, exclude }) => {
      const context = { include: [['html']], exclude: exclude.map((selector) => [selector]) }
      const { violations } = await window.axe.run(context, {
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
        // Only experimental rules need the style sheets.
        preload: false,
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
      )
    },
    { tags: WCAG, exclude: [REPEATED_CARDS_SELECTOR, ...exclude] },
  )
}
