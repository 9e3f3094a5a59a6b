import { Hono } from 'hono'
import { useContext } from 'react'
import { formatItemName } from '#office/catalogue/item-name.ts'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { formatDay, formatShortDay, NowMsContext } from '#office/platform/date-time.tsx'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import {
  FIGURE_PERIODS,
  type Figures,
  type PeriodName,
  readFigures,
  type SalesTotals,
} from '#server/reports/figures.ts'
import { PAGE_SPEED_DAYS, readPageSpeeds } from '#server/reports/visits.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { notFoundPage, type RouteName, routes } from '#shared/routes.ts'

const PERIOD_LABELS: Record<PeriodName, { label: string; before: string; bestSellers: string }> = {
  today: { label: 'Today', before: 'yesterday', bestSellers: 'Best sellers today' },
  yesterday: { label: 'Yesterday', before: 'the day before', bestSellers: 'Best sellers yesterday' },
  week: { label: '7 days', before: 'the 7 days before', bestSellers: 'Best sellers since Monday' },
  month: { label: '30 days', before: 'the 30 days before', bestSellers: 'Best sellers this month' },
}
const PERIOD_NAMES = Object.keys(FIGURE_PERIODS) as PeriodName[]

export function figuresRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/figures', async (c) => {
    const period = PERIOD_NAMES.find((name) => name === c.req.query('period')) ?? 'today'
    const [figures, speeds] = await Promise.all([
      readFigures({ period }, c.var.ownerContext()),
      readPageSpeeds(c.var.ownerContext()),
    ])
    // Reads the catalogue only for product names, so the page works without it.
    const catalogue = figures.lowStock.length > 0 ? await readLatestCatalogue(ctx).catch(() => []) : []
    return renderOfficePage(c, {
      title: 'Figures',
      section: 'figures',
      children: (
        <>
          <h1>Figures</h1>
          <nav className="stages" aria-label="Period">
            {PERIOD_NAMES.map((name) => (
              <a
                className="chip"
                key={name}
                href={`/figures?period=${name}`}
                {...(name === period ? { 'aria-current': 'page' as const } : {})}
              >
                {PERIOD_LABELS[name].label}
              </a>
            ))}
          </nav>
          <Comparison figures={figures} before={PERIOD_LABELS[period].before} />
          <p className="note">
            Sales are the totals of paid orders, including VAT and shipping. An order counts on the day it’s
            placed or, if it’s paid on delivery, on the day it’s paid. If you edit or cancel an order or
            exchange its items, its new total counts instead. All other refunds count on the day you make
            them. “View sales” counts each payment and refund on its own day, so its sums can differ.
          </p>
          <RevenueChart days={figures.days} />
          <p>
            <a className="button button--quiet" href="/figures/sales">
              View sales
            </a>
          </p>
          <div className="columns">
            <section className="panel">
              <h2>{PERIOD_LABELS[period].bestSellers}</h2>
              {figures.bestSellers.length === 0 ? <p>No sales in this period.</p> : null}
              <ol className="rows">
                {figures.bestSellers.map(({ productId, title, size, qty }) => (
                  <li key={productId}>
                    <strong>{qty} ×</strong> {formatNameWithSize(title, size)}
                  </li>
                ))}
              </ol>
            </section>
            <section className="panel">
              <h2>Low stock</h2>
              {figures.lowStock.length === 0 ? <p>No items are running low or sold out.</p> : null}
              <ul className="rows">
                {figures.lowStock.map(({ itemId, left }) => (
                  <li key={itemId}>
                    <strong>{left > 0 ? `${left} left:` : 'Sold out:'}</strong>{' '}
                    {formatItemName(itemId, catalogue)}
                  </li>
                ))}
              </ul>
            </section>
            <section className="panel">
              <h2>Page speed</h2>
              {speeds.length === 0 ? (
                <p>Page speeds will appear here after the first visits.</p>
              ) : (
                <p className="note">
                  Three in four visits were at least this fast in the last {PAGE_SPEED_DAYS} days.
                </p>
              )}
              <ul className="rows">
                {speeds.map(({ page, visits, lcp, inp, cls, hydration }) => (
                  <li key={page}>
                    <strong>{formatPageName(page)}:</strong> main content after {formatSeconds(lcp)}, ready to
                    use after {formatSeconds(hydration)}, responds to taps in {inp ?? '–'} ms, layout shift{' '}
                    {cls ?? '–'} ({visits} {visits === 1 ? 'visit' : 'visits'})
                  </li>
                ))}
              </ul>
            </section>
          </div>
        </>
      ),
    })
  })
}

function Comparison({
  figures: { current: now, previous: before },
  before: name,
}: {
  figures: Figures
  before: string
}) {
  const rows: { label: string; value: (takings: SalesTotals) => number; text: (value: number) => string }[] =
    [
      { label: 'Orders', value: ({ orders }) => orders, text: String },
      { label: 'Sales', value: ({ cents }) => cents, text: formatMoney },
      { label: 'Refunds', value: ({ refundedCents }) => refundedCents, text: formatMoney },
      { label: 'Revenue after refunds', value: calculateNetCents, text: formatMoney },
      { label: 'Average order', value: calculateAverageOrderCents, text: formatMoney },
    ]
  return (
    <dl className="figures">
      {rows.map(({ label, value, text }) => (
        <div className="panel" key={label}>
          <dt>{label}</dt>
          <dd>
            <strong>{text(value(now))}</strong>
            <span className="note">
              {describeChange(value(now), value(before))} {name} ({text(value(before))})
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function formatPageName(page: string): string {
  if (page === 'home') return 'Home'
  return page in routes ? routes[page as RouteName].title : notFoundPage.title
}

function formatSeconds(ms: number | undefined): string {
  return ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`
}

function calculateNetCents({ cents, refundedCents }: SalesTotals): number {
  return cents - refundedCents
}

function calculateAverageOrderCents({ orders, ...totals }: SalesTotals): number {
  return orders > 0 ? Math.round(calculateNetCents({ orders, ...totals }) / orders / 100) * 100 : 0
}

function describeChange(now: number, before: number): string {
  if (now === before) return 'Same as'
  if (before <= 0) return now > before ? 'More than' : 'Less than'
  const percent = Math.round((Math.abs(now - before) / before) * 100)
  return percent === 0 ? 'About the same as' : `${percent}% ${now > before ? 'more' : 'less'} than`
}

const CHART_SIZE = { width: 360, height: 150, label: 18 }

function RevenueChart({ days }: { days: Figures['days'] }) {
  const nowMs = useContext(NowMsContext)
  const mostCents = Math.max(...days.map(calculateNetCents), 1)
  const step = CHART_SIZE.width / days.length
  const fullHeight = CHART_SIZE.height - 2 * CHART_SIZE.label
  const best = days
    .map((day) => ({ startMs: day.startMs, cents: calculateNetCents(day) }))
    .reduce((a, b) => (b.cents > a.cents ? b : a), { startMs: 0, cents: 0 })
  // Only one day per week is labelled, and none near the ends of the chart, where the label wouldn't fit.
  const isLabelled = (index: number) => index % 7 === 2 && index < days.length - 4
  return (
    <figure className="panel">
      <figcaption>
        <h2>Revenue after refunds per day, last 30 days</h2>
      </figcaption>
      <svg
        className="chart"
        viewBox={`0 0 ${CHART_SIZE.width} ${CHART_SIZE.height}`}
        role="img"
        aria-label={
          best.cents > 0
            ? `Revenue after refunds per day. The best day was ${formatDay(best.startMs, nowMs)} with ${formatMoney(best.cents)}.`
            : 'No revenue after refunds in the last 30 days.'
        }
      >
        <line
          x1="0"
          x2={CHART_SIZE.width}
          y1={CHART_SIZE.height - CHART_SIZE.label}
          y2={CHART_SIZE.height - CHART_SIZE.label}
        />
        {days.map((day, index) => {
          const height = Math.round((Math.max(calculateNetCents(day), 0) / mostCents) * fullHeight)
          return (
            <rect
              key={day.name}
              x={index * step + 1}
              y={CHART_SIZE.height - CHART_SIZE.label - height}
              width={step - 2}
              height={height}
            />
          )
        })}
        {days.map(({ name, startMs }, index) =>
          isLabelled(index) ? (
            <text key={name} x={(index + 0.5) * step} y={CHART_SIZE.height - 2} textAnchor="middle">
              {formatShortDay(startMs)}
            </text>
          ) : null,
        )}
        <text x={CHART_SIZE.width} y={CHART_SIZE.height - 2} textAnchor="end">
          Today
        </text>
        {best.cents > 0 ? (
          <text x={CHART_SIZE.width} y={CHART_SIZE.label - 6} textAnchor="end">
            Best day: {formatDay(best.startMs, nowMs)}, {formatMoney(best.cents)}
          </text>
        ) : null}
      </svg>
      <RevenueTable days={days} />
    </figure>
  )
}

function RevenueTable({ days }: { days: Figures['days'] }) {
  return (
    <details>
      <summary>Show as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Orders</th>
            <th scope="col">Sales</th>
            <th scope="col">Refunds</th>
            <th scope="col">Revenue</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.name}>
              <th scope="row">{formatShortDay(day.startMs)}</th>
              <td>{day.orders}</td>
              <td>{formatMoney(day.cents)}</td>
              <td>{formatMoney(day.refundedCents)}</td>
              <td>{formatMoney(calculateNetCents(day))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
