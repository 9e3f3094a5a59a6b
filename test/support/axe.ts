import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The minified source, which every page parses, is half the size of the package's default one. */
const AXE_SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** Matches cards that aren't checked, because all cards of a list are alike. */
const REPEATED_CARDS_SELECTOR = '.grid > :nth-child(n + 5)'

/** Loads axe into the page through DevTools. For a long source, that takes half as long as `page.evaluate`. */
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
