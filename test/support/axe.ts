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

/** Cards are alike: a few of a list show what is wrong with all of them. */
const REPEATED = '.grid > :nth-child(n + 5)'

/**
 * What axe finds against WCAG 2.0 to 2.2, A and AA, on the page as it is now, the elements that match `exclude` aside:
 * one line for each element at fault.
 */
export async function violationsOn(
  page: Page,
  { exclude = [] }: { exclude?: string[] } = {},
): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in window)
  if (!isLoaded) await page.evaluate(AXE)
  return page.evaluate(
    async ({ tags, exclude }) => {
      const context = { include: [['html']], exclude: exclude.map((selector) => [selector]) }
      const { violations } = await window.axe.run(context, {
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
        // Only experimental rules read the stylesheets.
        preload: false,
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
      )
    },
    { tags: WCAG, exclude: [REPEATED, ...exclude] },
  )
}
