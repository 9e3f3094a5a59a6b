import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { changePrice } from '#shared/catalogue/bulk-prices.ts'
import { formatKsh } from '#shared/format.ts'
import { DAY_MS, formatShopDateTime, parseShopDay } from '#shared/time.ts'
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
import { newAccount, orderOneUnit } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

const SALE_PRICE = 1234
const UPCOMING_PRICE = 1111

const [romper, otherProduct] = items
const midnight = (days: number) =>
  formatShopDateTime((parseShopDay('today', Date.now())?.startMs ?? 0) + days * DAY_MS)
const toys = items.filter(({ category }) => category.includes('Toys')).slice(0, 10)

const SHOPIFY_EXPORT = [
  'Handle,Title,Body (HTML),Type,Published,Option1 Name,Option1 Value,Variant Price,Variant Compare At Price,Image Src,Status',
  `nursing-dress,Nursing dress,"<p>Soft, <b>stretchy</b> cotton.</p>",Maternity,TRUE,Size,S,1800,2400,${romper?.image},active`,
  'nursing-dress,,,,,,M,1900,2400,,',
  `poster,Poster,Paper.,Maternity,TRUE,Colour,Red,900,,${romper?.image},active`,
].join('\n')

journeys('the owner’s catalogue', () => {
  const served = startOwnShop()

  const isShown = async (page: Page, price: string) =>
    (await (await fetchAsPage(page, `${served().url}/products`)).text()).includes(price)

  it('gets a sale, a category, imported products and new prices, and is published and rolled back', async () => {
    const { officeUrl = '', url } = served()
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT, origin: officeUrl })
    const { page } = visitor
    const expectGoodPage = async (label: string) => {
      expect(await listViolations(page), label).toEqual([])
      expect(await listHorizontalOverflow(page), label).toEqual([])
    }
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

    const setSale = async (id: number | undefined, price: number, [from, to]: [number, number]) => {
      await page.goto(`${officeUrl}/catalogue/products/${id}`)
      await page.getByLabel('Sale price in KSH', { exact: true }).fill(String(price))
      await page.getByLabel('Starts').fill(midnight(from))
      await page.getByLabel('Ends').fill(midnight(to))
      await press('Save draft')
      await page.getByText('Saved to the draft.').waitFor()
    }
    const raiseToys = async () => {
      await page.goto(`${officeUrl}/catalogue?category=Toys`)
      for (const { id } of toys) await page.locator(`input[name=id-${id}]`).check()
      await page.getByLabel('Percentage or amount in KSH').fill('5')
      await press('Change products')
      await page.getByText(`${toys.length} products changed in the draft.`).waitFor()
    }
    const publish = async () => {
      await press('Publish changes')
      await page.getByText('Published.').waitFor()
    }

    await setSale(romper?.id, SALE_PRICE, [0, 2])
    await setSale(otherProduct?.id, UPCOMING_PRICE, [1, 2])

    await page.getByRole('link', { name: 'Edit categories' }).click()
    await page.getByLabel('Name').fill('Maternity')
    await press('Add category')
    await page.getByText('Saved to the draft.').waitFor()
    await page.getByRole('link', { name: 'Back to the catalogue' }).click()

    await page.getByLabel('CSV or Items.json file').setInputFiles({
      ...{ name: 'products_export.csv', mimeType: 'text/csv', buffer: Buffer.from(SHOPIFY_EXPORT) },
    })
    await press('Import file')
    await page.getByText('Line 4: The sizes “Red” have no size type.').waitFor()
    for (const viewport of [DESKTOP_VIEWPORT, PHONE_VIEWPORT]) {
      await page.setViewportSize(viewport)
      await expectGoodPage('the report of an import')
    }

    await raiseToys()
    await page.goto(`${officeUrl}/catalogue/publish`)
    await page.getByText('KSH 1,234 (was KSH 1,850)').first().waitFor()
    await expectGoodPage('the changes to publish')
    await publish()
    expect(await isShown(page, formatKsh(SALE_PRICE))).toBe(true)
    expect(await isShown(page, formatKsh(UPCOMING_PRICE))).toBe(false)

    for (const viewport of [DESKTOP_VIEWPORT, PHONE_VIEWPORT]) {
      await page.setViewportSize(viewport)
      await page.goto(`${url}/products`)
      await page
        .getByRole('listitem')
        .filter({ hasText: `was ${formatKsh(romper?.price ?? 0)}` })
        .waitFor()
      await expectGoodPage('a sale in the shop')
      await page
        .getByRole('navigation', { name: 'Categories' })
        .getByRole('link', { name: 'Maternity' })
        .click()
      await page.getByText('Maternity: 1 product').waitFor()
      await page.getByRole('link', { name: 'Buy Now' }).click()
      await page.getByRole('heading', { name: 'Nursing dress' }).waitFor()
      await page.locator('.product__price', { hasText: 'KSH 1800 was KSH 2400' }).waitFor()
      await expectGoodPage('a product on sale')
    }
    const [toy] = toys
    await page.goto(`${url}/product/${toy?.id}`)
    await page
      .getByText(formatKsh(changePrice(toy?.price ?? 0, { percent: 5 }) ?? 0), { exact: true })
      .first()
      .waitFor()
    const account = await newAccount('Amina Wanjiru', url)
    expect((await orderOneUnit(account, { id: romper?.id ?? 0, origin: url })).status).toBe(201)

    await page.setViewportSize(DESKTOP_VIEWPORT)
    await setSale(romper?.id, SALE_PRICE, [-1, 0])
    await setSale(otherProduct?.id, UPCOMING_PRICE, [0, 1])
    await raiseToys()
    await page.goto(`${officeUrl}/catalogue/publish`)
    await expectGoodPage('the changes to publish')
    await publish()
    const [ended, started] = [formatKsh(SALE_PRICE), formatKsh(UPCOMING_PRICE)]
    expect([await isShown(page, ended), await isShown(page, started)]).toEqual([false, true])
    const raised = changePrice(toy?.price ?? 0, { percent: 5 }) ?? 0
    await page.goto(`${url}/product/${toy?.id}`)
    await page
      .getByText(formatKsh(changePrice(raised, { percent: 5 }) ?? 0), { exact: true })
      .first()
      .waitFor()

    await page.goto(`${officeUrl}/catalogue/publish`)
    await press('Roll back to version 1')
    await page.getByRole('status').getByText('Rolled back to version 1.').waitFor()
    expect(await isShown(page, formatKsh(SALE_PRICE))).toBe(false)
    expect(await (await fetchAsPage(page, `${url}/Items.json`)).json()).toEqual(items)
    expectNoConsoleErrors(visitor)
  })
})
