import { readSales } from '#server/reports/sales.ts'
import { PAGE_SPEED_DAYS, readPageSpeeds } from '#server/reports/visits.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { getPaymentMethodName } from '#shared/payments/method-name.ts'
import { parseDay, type ShopCommand, toTable } from './shop-command.ts'
import { formatTable } from './table.ts'

export const showSalesCommand: ShopCommand = {
  usage: '[<day>]',
  summary: "a day's sales net of refunds, by payment method and by item; today by default",
  async run({ positionals: [word = 'today'] }, ctx) {
    const day = parseDay(word, ctx.clock())
    const { current, methods, items } = await readSales({ first: day, last: day }, ctx)
    const figures = {
      Orders: current.orders,
      'Gross sales': formatMoney(current.grossCents),
      Discounts: formatMoney(-current.discountCents),
      Refunds: formatMoney(-current.returnedCents),
      'Net sales': formatMoney(current.netCents),
      Shipping: formatMoney(current.shippingCents),
      VAT: formatMoney(current.vatCents),
      Total: formatMoney(current.totalCents),
    }
    const rows = Object.entries(figures).map(([name, value]) => ({ name, value }))
    for (const { name, units, netCents } of methods)
      if (units > 0)
        rows.push({
          name: `Net sales paid by ${getPaymentMethodName(name)} (${units})`,
          value: formatMoney(netCents),
        })
    const sold = items.filter(({ units }) => units > 0).toSorted((a, b) => b.units - a.units)
    const text = [
      formatTable(rows, { [`Figures for ${day.name}`]: 'name', Sum: 'value' }, ''),
      formatTable(
        sold,
        {
          Sold: 'units',
          Item: ({ name, size, itemId }) => `${formatNameWithSize(name, size)} (${itemId})`,
          Net: 'netCents',
        },
        'No sales.',
      ),
    ].join('\n\n')
    return { text, json: { day: day.name, ...current, methods, items } }
  },
}

export const showPageSpeedCommand: ShopCommand = {
  summary: `page speed (75th percentile) over the last ${PAGE_SPEED_DAYS} days`,
  async run(_input, ctx) {
    return toTable(
      await readPageSpeeds(ctx),
      {
        Page: 'page',
        Visits: 'visits',
        'LCP, ms': 'lcp',
        'INP, ms': 'inp',
        CLS: 'cls',
        'Hydration, ms': 'hydration',
      },
      'No page speeds reported yet.',
    )
  },
}
