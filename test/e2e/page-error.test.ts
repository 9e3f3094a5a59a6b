import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DESKTOP_VIEWPORT, journeys, openShopper, visit } from '#test/support/shopper.ts'

async function breakAboutPage(page: Page): Promise<void> {
  const script = `export const Page = () => { if (window.isBroken) throw new Error('no such cloth'); return 'Mended' }`
  await page.route('**/about-page*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  )
}

const setBroken = (page: Page, isBroken: boolean) =>
  page.evaluate((value) => Object.assign(window, { isBroken: value }), isBroken)
const readFocusedElement = (page: Page) =>
  page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute('role'))

journeys('a page that throws in the browser', () => {
  it('keeps the layout, logs the error, and offers a retry and a link home, also on a full load', async () => {
    const { page, consoleErrors } = await openShopper({ viewport: DESKTOP_VIEWPORT })
    await breakAboutPage(page)
    await visit({ page, consoleErrors }, '/contact')
    await setBroken(page, true)
    await page.getByRole('link', { name: 'Story' }).click()
    const message = page.getByRole('alert').filter({ hasText: 'Something went wrong' })
    await message.waitFor()
    expect(await readFocusedElement(page)).toBe('main')
    expect(await page.title()).toBe('Our Story · Pamba')
    expect(consoleErrors).toEqual([expect.stringMatching(/^Page error: Error: no such cloth/)])

    await message.getByRole('link', { name: 'Try again' }).click()
    await expect.poll(() => consoleErrors.length).toBe(2)
    await message.waitFor()
    expect(await readFocusedElement(page)).toBe('alert')

    await setBroken(page, false)
    await message.getByRole('link', { name: 'Try again' }).click()
    await page.getByText('Mended').waitFor()
    expect(await message.count()).toBe(0)

    await page.addInitScript(() => Object.assign(window, { isBroken: true }))
    await page.reload()
    await message.getByRole('link', { name: 'Return Home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sustainable Fashion for Little Ones' }).waitFor()
    expect(consoleErrors.filter((text) => !/^(Page|Hydration) error: /.test(text))).toEqual([])
  })
})
