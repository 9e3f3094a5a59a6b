import { readSales } from '#server/reports/sales.ts'
import { METRICS, readSpeed, SPEED_DAYS } from '#server/reports/visits.ts'
import { formatMoney, nameWithSize } from '#shared/format.ts'
import { paymentMethodName } from '#shared/payments/method-name.ts'
import { listing, parseDay, type ShopCommand } from './shop-command.ts'
import { table } from './table.ts'

export const dailyFigures: ShopCommand = {
  takes: '[<day>]',
  summary: "a day's sales net of refunds, by payment method and by item; today by default",
  async run({ words: [word = 'today'] }, ctx) {
    const day = parseDay(word, ctx.clock())
    const { current, methods, items } = await readSales({ first: day, last: day }, ctx)
    const figures: [string, string | number][] = [
      ['Orders', current.orders],
      ['Gross sales', formatMoney(current.grossCents)],
      ['Discounts', formatMoney(-current.discountCents)],
      ['Refunds', formatMoney(-current.returnedCents)],
      ['Net sales', formatMoney(current.netCents)],
      ['Shipping', formatMoney(current.shippingCents)],
      ['VAT', formatMoney(current.vatCents)],
      ['Total', formatMoney(current.totalCents)],
      ...methods
        .filter(({ units }) => units > 0)
        .map(({ name, units, netCents }): [string, string] => [
          `Net by ${paymentMethodName(name)} (${units})`,
          formatMoney(netCents),
        ]),
    ]
    const sold = items.filter(({ units }) => units > 0).toSorted((a, b) => b.units - a.units)
    const text = [
      table(figures, { [`Figures for ${day.name}`]: ([name]) => name, Sum: ([, value]) => value }, ''),
      table(
        sold,
        {
          Sold: ({ units }) => units,
          Item: ({ name, size, itemId }) => `${nameWithSize(name, size)} (${itemId})`,
          Net: ({ netCents }) => formatMoney(netCents),
        },
        'No sales.',
      ),
    ].join('\n\n')
    return { text, json: { day: day.name, ...current, methods, items } }
  },
}

const HEADINGS = { lcp: 'LCP, ms', inp: 'INP, ms', cls: 'CLS', hydration: 'Hydration, ms' }
type PageSpeed = Awaited<ReturnType<typeof readSpeed>>[number]

export const pageSpeed: ShopCommand = {
  summary: `page speed (75th percentile) over the last ${SPEED_DAYS} days`,
  async run(_input, ctx) {
    const metrics = METRICS.map((metric) => [HEADINGS[metric], (row: PageSpeed) => row[metric] ?? '-'])
    return listing(
      await readSpeed(ctx),
      { Page: ({ page }) => page, Visits: ({ visits }) => visits, ...Object.fromEntries(metrics) },
      'No page speeds reported yet.',
    )
  },
}
