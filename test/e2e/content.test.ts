import sharp from 'sharp'
import { expect, it } from 'vitest'
import { listViolations } from '#test/support/axe.ts'
import { startOwnShop } from '#test/support/own-shop.ts'
import { listHorizontalOverflow } from '#test/support/page-checks.ts'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  fetchAsPage,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
} from '#test/support/shopper.ts'
import {
  fillBilling,
  newAccount,
  openCheckout,
  openSignedInShopper,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'

type LayoutShift = PerformanceEntry & { value: number }

journeys('the owner’s content', () => {
  const served = startOwnShop()

  it('is edited on a phone, published to cached pages, and rolled back', async () => {
    const { officeUrl = '', url } = served()
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT, origin: officeUrl })
    const { page } = visitor
    const save = async (done = 'Saved to the draft.') => {
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.getByText(done).waitFor()
    }
    const readPage = async (path: string) => (await fetchAsPage(page, url + path)).text()
    const before = await readPage('/contact')
    expect(before).toContain('Wrong fit or changed your mind?')
    await readPage('/')

    await page.goto(`${officeUrl}/content`)
    await page.getByRole('link', { name: 'Returns' }).click()
    await page.getByLabel('Text').fill('Send it back within **30 days**.\n\n- Unworn\n- Unwashed')
    await page.getByRole('button', { name: 'Preview text' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Unwashed' }).waitFor()
    await save()
    await page.getByRole('link', { name: 'Banner' }).click()
    await page.getByLabel('Banner text').fill('Closed 24–26 December')
    await page.getByLabel('First day').fill('2020-12-20')
    await page.getByLabel('Last day').fill('2099-12-26')
    await save()
    await page.getByRole('link', { name: 'Home picture' }).click()
    const photo = await sharp({ create: { width: 1400, height: 1600, channels: 3, background: '#a6492b' } })
      .jpeg()
      .toBuffer()
    for (const name of ['first.jpg', 'second.jpg'])
      await page.getByLabel('Choose a photo').setInputFiles({ name, mimeType: 'image/jpeg', buffer: photo })
    await page.getByText('Photo uploaded.').waitFor()
    expect(await page.locator('[data-picture]').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Retry upload' }).isVisible()).toBe(false)
    await page.getByLabel('Photo description').fill('Two sisters in kikoi dresses')
    await save()
    await page.getByRole('link', { name: 'Ways to pay' }).click()
    await page.getByLabel('Offer cash on delivery').check()
    await page.getByLabel('Maximum order total').fill('KSH 5,000')
    await page.getByLabel('Nairobi').check()
    expect(await listViolations(page)).toEqual([])
    await save()
    expect(await page.locator('.mark--status', { hasText: 'In draft' }).count()).toBe(4)

    for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(viewport)
      await page.goto(`${officeUrl}/catalogue/preview/contact`)
      const boxOf = async (selector: string) => {
        const box = await page.locator(selector).boundingBox()
        return box ?? { x: 0, y: 0, width: 0, height: 0 }
      }
      const [note, banner, header] = [
        await boxOf('.announcement[aria-label=Preview]'),
        await boxOf('.announcement[aria-label=Announcement]'),
        await boxOf('header.bar'),
      ]
      expect([note.x, note.width]).toEqual([header.x, header.width])
      expect([note.y + note.height, banner.y + banner.height]).toEqual([banner.y, header.y])
      expect(await page.getByRole('button', { name: 'Send Message' }).isDisabled()).toBe(true)
    }
    expect(await readPage('/contact')).toContain('Wrong fit or changed your mind?')
    await page.setViewportSize(PHONE_VIEWPORT)
    await page.goto(`${officeUrl}/catalogue/publish`)
    await page.getByText('Returns', { exact: true }).click()
    await page.getByText('Send it back within **30 days**.').waitFor()
    expect(await listViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Publish changes' }).click()
    await page.getByText('Published.').waitFor()

    expect(await readPage('/contact')).toContain('Send it back within <strong>30 days</strong>')
    for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(viewport)
      await page.goto(`${url}/contact`)
      const banner = page.getByRole('complementary', { name: 'Announcement' })
      expect(await banner.innerText()).toBe('Closed 24–26 December')
      await page.waitForFunction(() => document.documentElement.dataset.hydrated)
      expect(await listViolations(page)).toEqual([])
      expect(await listHorizontalOverflow(page)).toEqual([])
      const shift = await page.evaluate(() => {
        const observer = new PerformanceObserver(() => {})
        observer.observe({ type: 'layout-shift', buffered: true })
        return observer.takeRecords().reduce((sum, entry) => sum + (entry as LayoutShift).value, 0)
      })
      expect(shift).toBeLessThan(0.02)
      if (viewport === PHONE_VIEWPORT) {
        await page.getByRole('button', { name: 'Open menu' }).click()
        await page.getByRole('button', { name: 'Close menu' }).click()
      }
      await page.evaluate(() => document.querySelector<HTMLElement>('.bar__brand')?.click())
      await page.getByAltText('Two sisters in kikoi dresses').waitFor()
      await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/contact#returns"]')?.click())
      await page.getByText('Send it back within').waitFor()
      expect(await page.getByRole('listitem').filter({ hasText: 'Unworn' }).count()).toBe(1)
      expect(await banner.isVisible()).toBe(true)
    }

    const buyer = await openSignedInShopper({
      ...{ origin: url, account: await newAccount('Amina Wanjiru', url), cart: [storedLine(22)] },
    })
    await openCheckout(buyer)
    await fillBilling(buyer.page)
    await buyer.page.getByLabel('Cash on delivery').check()
    await buyer.page.getByText('You’ll pay when your order arrives').waitFor()

    await page.setViewportSize(DESKTOP_VIEWPORT)
    await page.goto(`${officeUrl}/content`)
    for (const [name, restore, notice] of [
      ['Returns', 'Restore default', 'Default text restored in the draft.'],
      ['Banner', 'Remove banner', 'Banner removed from the draft.'],
      ['Ways to pay', 'Restore default', 'Default text restored in the draft.'],
    ] as const) {
      await page.getByRole('link', { name }).click()
      await page.getByRole('button', { name: restore }).click()
      await page.getByText(notice).waitFor()
    }
    await page.goto(`${officeUrl}/catalogue/publish`)
    await page.getByRole('button', { name: 'Publish changes' }).click()
    await page.getByText('Published.').waitFor()
    expect(await readPage('/contact')).toMatch(/Wrong fit or changed your mind/)
    expect(await readPage('/')).not.toContain('announcement')

    // The buyer loaded checkout while cash on delivery was on.
    await submitButton(buyer.page).click()
    await buyer.page.getByText('Cash on delivery isn’t available for this order.').waitFor()
    expect(await buyer.page.getByLabel('Address', { exact: true }).inputValue()).toBe('Moi Avenue 4')
    expect(await buyer.page.getByLabel('Cash on delivery').count()).toBe(0)
    await buyer.page.getByLabel('Card number').waitFor()
    await buyer.page.context().close()

    await page.goto(`${officeUrl}/catalogue/publish`)
    await page.getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByRole('status').getByText('Rolled back to version 1.').waitFor()
    expect(await readPage('/contact')).toContain('Wrong fit or changed your mind?')
    expect(await readPage('/')).not.toContain('announcement')
    await page.goto(`${officeUrl}/content`)
    expect(await page.locator('.mark', { hasText: /Changed|In draft/ }).count()).toBe(0)
    expectNoConsoleErrors(visitor)
  })
})
