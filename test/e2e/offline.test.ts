import { expect, it } from 'vitest'
import { journeys, visit } from '#test/support/shopper.ts'
import { openSignedInShopper, storedLine } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

journeys('offline navigation', () => {
  it('stays on the page, shows the offline message, opens cached pages, and continues on reconnecting', async () => {
    const visitor = await openSignedInShopper({ cart: [storedLine(0)] })
    const { page } = visitor
    const context = page.context()
    const offlineMessage = page.getByRole('status').filter({ hasText: 'will open when you reconnect' })
    const count = page.getByText(`${items.length} products`)
    // An earlier visitor may have filled the browser's cache, from which pages would open offline.
    await (await context.newCDPSession(page)).send('Network.clearBrowserCache')
    await visit(visitor, '/products')
    await page.waitForLoadState('networkidle')

    await context.setOffline(true)
    const sinceLost = page.getByText(/^You’ve been offline since \d\d:\d\d\.$/)
    await sinceLost.waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await sinceLost.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Toys', exact: true }).click()
    await offlineMessage.waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await offlineMessage.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Nursery', exact: true }).click()
    await offlineMessage.waitFor()
    expect(await count.isVisible()).toBe(true)
    expect(await page.locator('.grid > li').count()).toBeGreaterThan(50)
    await page.locator('.bar__cart').click()
    await page.getByRole('heading', { name: 'Shopping Cart' }).waitFor()
    await offlineMessage.waitFor({ state: 'detached' })
    await page.evaluate(() => history.go(-3))
    await count.waitFor()

    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('link', { name: 'Story' }).click()
    await offlineMessage.waitFor()
    await page.getByRole('button', { name: 'Open menu' }).waitFor()

    await page.getByRole('link', { name: 'Toys', exact: true }).click()
    await offlineMessage.waitFor()
    await context.setOffline(false)
    await page.getByText(/^Toys: \d+ products$/).waitFor()
    await offlineMessage.waitFor({ state: 'detached' })
  })
})
