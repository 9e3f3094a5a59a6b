import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { formatShortDay } from '#office/platform/date-time.tsx'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import {
  groupBreakdownRows,
  readSales,
  type Sales,
  type SalesBreakdownRow,
  type SalesReport,
} from '#server/reports/sales.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatMoney } from '#shared/format.ts'
import { getPaymentMethodName } from '#shared/payments/method-name.ts'
import { DAY_MS, listShopDaysUntil, parseShopDay } from '#shared/time.ts'

const MAX_DAYS = 366
const DEFAULT_DAYS = 30
const GROUP_LABELS = {
  day: 'Day',
  product: 'Product',
  size: 'Size',
  category: 'Category',
  method: 'Payment method',
}
type Group = keyof typeof GROUP_LABELS
const GROUP_NAMES = Object.keys(GROUP_LABELS) as Group[]

export function salesRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/figures/sales', async (c) => {
    const { from, to, by } = c.req.query()
    const days = listShopDaysUntil(c.var.nowMs, DEFAULT_DAYS)
    const first = from === undefined ? days[0] : parseShopDay(from, c.var.nowMs)
    const last = to === undefined ? days.at(-1) : parseShopDay(to, c.var.nowMs)
    const isValid =
      first && last && first.startMs <= last.startMs && last.endMs - first.startMs <= MAX_DAYS * DAY_MS
    const group = GROUP_NAMES.find((name) => name === by) ?? 'day'
    const period = isValid ? { first, last } : { first: days[0], last: days.at(-1) }
    if (!period.first || !period.last) throw new Error('The default period has no days.')
    const shown = { first: period.first, last: period.last }
    const parts = group === 'day' ? 'none' : group === 'method' ? 'methods' : 'items'
    const report = await readSales({ ...shown, parts }, c.var.ownerContext())
    const catalogue = group === 'category' ? await readLatestCatalogue(ctx).catch(() => []) : []
    return renderOfficePage(
      c,
      {
        title: 'Sales',
        section: 'figures',
        ...(isValid
          ? {}
          : {
              notice: `Enter a first day and a last day. The first can’t be after the last, and the period can’t be longer than ${MAX_DAYS} days.`,
              isError: true,
            }),
        children: (
          <>
            <h1>Sales</h1>
            <p>
              Payments and refunds, each on its own day. “Figures” count an order on the day it’s placed, so
              their sums can differ. Net sales exclude VAT and shipping. A cancelled order stays in the number
              of orders, and its refund is deducted.
            </p>
            <PeriodForm from={from ?? shown.first.name} to={to ?? shown.last.name} group={group} />
            <SummaryTable report={report} />
            <MetricDefinitions />
            <nav className="stages" aria-label="Sales by">
              {GROUP_NAMES.map((name) => (
                <a
                  className="chip"
                  key={name}
                  href={`/figures/sales?${new URLSearchParams({ from: shown.first.name, to: shown.last.name, by: name })}`}
                  {...(name === group ? { 'aria-current': 'page' as const } : {})}
                >
                  {GROUP_LABELS[name]}
                </a>
              ))}
            </nav>
            {group === 'day' ? (
              <DaysTable report={report} nowMs={c.var.nowMs} />
            ) : (
              <BreakdownTable group={group} parts={createBreakdown(group, report, catalogue)} />
            )}
          </>
        ),
      },
      isValid ? 200 : 409,
    )
  })
}

function createBreakdown(
  group: Exclude<Group, 'day'>,
  { methods, items }: SalesReport,
  catalogue: Catalogue,
): SalesBreakdownRow[] {
  switch (group) {
    case 'method':
      return groupBreakdownRows(methods, ({ name }) => getPaymentMethodName(name))
    case 'product':
      return groupBreakdownRows(items, ({ itemId, name }) => (itemId === NO_ITEM ? DIFFERENCES : name))
    case 'size':
      return groupBreakdownRows(items, ({ itemId, size }) =>
        itemId === NO_ITEM ? DIFFERENCES : (size ?? 'No size'),
      )
    case 'category':
      return groupBreakdownRows(items, ({ itemId }) =>
        itemId === NO_ITEM
          ? DIFFERENCES
          : (findItem(catalogue, itemId)?.product.category ?? 'No longer in the catalogue'),
      )
  }
}

/** The item of an invoice for part of an order, or for the difference after a change or exchange. */
const NO_ITEM = 0
const DIFFERENCES = 'Changes, exchanges and part payments'

function PeriodForm({ from, to, group }: { from: string; to: string; group: Group }) {
  return (
    <form className="filters" action="/figures/sales">
      <div className="field">
        <label htmlFor="from">First day</label>
        <input id="from" name="from" type="date" defaultValue={from} />
      </div>
      <div className="field">
        <label htmlFor="to">Last day</label>
        <input id="to" name="to" type="date" defaultValue={to} />
      </div>
      <input type="hidden" name="by" value={group} />
      <button className="button" type="submit">
        Show sales
      </button>
    </form>
  )
}

const SALES_METRICS: { label: string; definition: string; value: (sales: Sales) => number }[] = [
  {
    label: 'Gross sales',
    definition: 'What you invoiced for goods, excluding VAT and shipping.',
    value: ({ grossCents }) => grossCents,
  },
  {
    label: 'Discounts',
    definition: 'Promo code discounts on those invoices.',
    value: ({ discountCents }) => -discountCents,
  },
  {
    label: 'Refunds',
    definition:
      'What you credited for goods: returns, exchanges, changed and cancelled orders, and other refunds, on the day they were made.',
    value: ({ returnedCents }) => -returnedCents,
  },
  {
    label: 'Net sales',
    definition: 'Gross sales less discounts and refunds.',
    value: ({ netCents }) => netCents,
  },
  {
    label: 'Shipping',
    definition: 'Shipping fees after refunds.',
    value: ({ shippingCents }) => shippingCents,
  },
  { label: 'VAT', definition: 'VAT on net sales.', value: ({ vatCents }) => vatCents },
  {
    label: 'Rounding',
    definition: 'The difference from rounding totals to whole shillings.',
    value: ({ roundingCents }) => roundingCents,
  },
  {
    label: 'Total sales',
    definition: 'Net sales, shipping, VAT and rounding: what customers paid, less all refunds.',
    value: ({ totalCents }) => totalCents,
  },
]

function MetricDefinitions() {
  return (
    <details>
      <summary>What these lines mean</summary>
      <dl>
        {SALES_METRICS.map(({ label, definition }) => (
          <div key={label}>
            <dt>
              <strong>{label}</strong>
            </dt>
            <dd>{definition}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function SummaryTable({ report: { current, previous } }: { report: SalesReport }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{`${current.orders} ${current.orders === 1 ? 'order' : 'orders'}`}</th>
          <th scope="col">This period</th>
          <th scope="col">Previous period</th>
        </tr>
      </thead>
      <tbody>
        {SALES_METRICS.map(({ label, value }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{formatMoney(value(current))}</td>
            <td>{formatMoney(value(previous))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function DaysTable({ report: { days }, nowMs }: { report: SalesReport; nowMs: number }) {
  if (days.length === 0) return <p className="empty">No sales in this period or the previous one.</p>
  const startOf = (day: string) => parseShopDay(day, nowMs)?.startMs ?? 0
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Orders</th>
          <th scope="col">Net sales</th>
          <th scope="col">Previous period</th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, orders, netCents, previousNetCents }) => (
          <tr key={day}>
            <th scope="row">{formatShortDay(startOf(day))}</th>
            <td>{orders}</td>
            <td>{formatMoney(netCents)}</td>
            <td>{formatMoney(previousNetCents)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function BreakdownTable({
  group,
  parts,
}: {
  group: Exclude<Group, 'day'>
  parts: readonly SalesBreakdownRow[]
}) {
  if (parts.length === 0) return <p className="empty">No sales in this period or the previous one.</p>
  return (
    <table className="breakdown">
      <thead>
        <tr>
          <th scope="col">{GROUP_LABELS[group]}</th>
          <th scope="col">{group === 'method' ? 'Orders' : 'Units'}</th>
          <th scope="col">Net sales</th>
          <th scope="col">Previous period</th>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ name, units, netCents, previousNetCents }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{units}</td>
            <td>{formatMoney(netCents)}</td>
            <td>{formatMoney(previousNetCents)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
