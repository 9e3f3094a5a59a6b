import { it } from 'vitest'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  scrollTo,
  visit,
} from '#test/support/shopper.ts'

journeys('URLs with a hash', () => {
  it('scroll to and focus their element however they are opened, including in lazy sections', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    const waitForFocus = (id: string) =>
      page.waitForFunction((name) => scrollY > 300 && document.activeElement?.id === name, id)
    const follow = (href: string) =>
      page.evaluate((href) => {
        const link = Object.assign(document.createElement('a'), { href })
        document.querySelector('main')?.appendChild(link)
        link.click()
        link.remove()
      }, href)
    await visit(visitor, '/product/1#also')
    await waitForFocus('also')

    await scrollTo(page, 0)
    await follow('#also')
    await waitForFocus('also')

    await follow('/product/2')
    await page.getByRole('heading', { name: 'Kikoi Wrap Dress' }).waitFor()
    // Until the navigation's scroll to the top has finished, it would override the scroll to the hash.
    await page.waitForFunction(() => scrollY === 0 && navigation.transition === null)
    await page.locator('#also').waitFor()
    await page.evaluate(() => {
      location.hash = '#also'
    })
    await waitForFocus('also')
    await page.goBack()
    await page.waitForFunction(() => scrollY === 0)

    await follow('/product/1#also')
    await page.getByRole('heading', { name: 'Organic Cotton Snap Romper' }).waitFor()
    await waitForFocus('also')
    const information = page.getByRole('navigation', { name: 'Help' })
    await information.getByRole('link', { name: 'Privacy' }).click()
    await waitForFocus('privacy')
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Story' })
      .evaluate((link: HTMLElement) => link.click())
    await page.waitForURL('**/about')
    await scrollTo(page, 500)
    // A link to the current URL must scroll to the top.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Story' }).click()
    await page.waitForFunction(() => scrollY === 0)

    await visit(visitor, '/contact#returns')
    await page.waitForFunction(() => document.activeElement?.id === 'returns')
    expectNoConsoleErrors(visitor)
  })
})
