import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Half as long as what the package gives as its source, and parsed on every page. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

declare global {
  interface Window {
    axe: typeof axe
  }
}

/**
 * What axe finds against WCAG 2.0 to 2.2, A and AA, on the page as it is now: one line for each element at fault.
 * Contrast is the larger part of its work.
 */
export async function violationsOn(page: Page, { contrast = true } = {}): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in window)
  if (!isLoaded) await page.evaluate(AXE)
  return page.evaluate(
    async ({ tags, contrast }) => {
      const { violations } = await window.axe.run(document, {
        runOnly: { type: 'tag', values: tags },
        rules: { 'color-contrast': { enabled: contrast } },
        resultTypes: ['violations'],
        // Only experimental rules read the stylesheets.
        preload: false,
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
      )
    },
    { tags: WCAG, contrast },
  )
}
