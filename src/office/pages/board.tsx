import { Hono } from 'hono'
import {
  type BoardPage,
  countByStage,
  type ListedOrder,
  ORDER_STAGES,
  type OrderStage,
  readBoard,
} from '#server/services/orders/board.ts'
import { searchOrders } from '#server/services/orders/search.ts'
import { formatKsh } from '#shared/rules/format.ts'
import { ORDER_STATUS_LABELS } from '#shared/rules/order-status.ts'
import { kshOf } from '#shared/rules/pricing.ts'
import type { OfficeDeps, OfficeEnv } from '../deps.ts'
import { Badge, officePage } from '../layout.tsx'
import { orderPath } from '../sections.ts'
import { ago } from '../time.ts'

const STAGE_LABELS: Record<OrderStage, string> = {
  pay: 'To pay',
  pack: 'To pack',
  send: 'To send',
  'on-the-way': 'On the way',
  done: 'Done',
}
const STAGES = Object.keys(ORDER_STAGES) as OrderStage[]

/** `/`: the orders by what is to be done next, and the search for one. */
export function boardPage(deps: OfficeDeps) {
  return new Hono<OfficeEnv>().get('/', async (c) => {
    const { q = '', stage: wanted, after } = c.req.query()
    const stage = STAGES.find((name) => name === wanted) ?? 'pack'
    const words = q.trim()
    const [counts, page] = await Promise.all([
      countByStage(deps),
      words
        ? searchOrders({ text: words }, deps).then((orders) => ({ orders, next: null }))
        : readBoard({ stage, after }, deps),
    ])
    return officePage(c, {
      title: words ? `Search: ${words}` : STAGE_LABELS[stage],
      section: 'orders',
      children: (
        <Board
          page={page}
          stage={words ? undefined : stage}
          words={words}
          counts={counts}
          nowMs={deps.clock()}
        />
      ),
    })
  })
}

type BoardProps = {
  page: BoardPage
  /** Undefined for the results of a search. */
  stage: OrderStage | undefined
  words: string
  counts: Record<OrderStage, number>
  nowMs: number
}

function Board({ page, stage, words, counts, nowMs }: BoardProps) {
  return (
    <>
      <h1>Orders</h1>
      <search>
        <form className="search" action="/">
          <label className="visually-hidden" htmlFor="q">
            Number, name, phone or receipt
          </label>
          <input
            id="q"
            name="q"
            type="search"
            defaultValue={words}
            placeholder="Number, name, phone, receipt"
            autoComplete="off"
            maxLength={80}
          />
          <button className="button" type="submit">
            Search
          </button>
        </form>
      </search>
      <nav className="stages" aria-label="What is to be done">
        {STAGES.map((name) => (
          <a
            className="chip"
            key={name}
            href={`/?stage=${name}`}
            {...(name === stage ? { 'aria-current': 'page' as const } : {})}
          >
            {STAGE_LABELS[name]}
            {name === 'done' ? null : <Badge count={counts[name]} />}
          </a>
        ))}
      </nav>
      {page.orders.length === 0 ? (
        <p className="empty">
          {stage ? `Nothing ${STAGE_LABELS[stage].toLowerCase()}.` : `Nothing was found for “${words}”.`}
        </p>
      ) : (
        <ol className="orders">
          {page.orders.map((order) => (
            <OrderRow
              key={order.id}
              order={order}
              nowMs={nowMs}
              showsStatus={!stage || ORDER_STAGES[stage].length > 1}
            />
          ))}
        </ol>
      )}
      {page.next && stage ? (
        <p>
          <a className="button button--quiet" href={`/?stage=${stage}&after=${page.next}`}>
            More orders
          </a>
        </p>
      ) : null}
    </>
  )
}

function OrderRow({
  order,
  nowMs,
  showsStatus,
}: {
  order: ListedOrder
  nowMs: number
  showsStatus: boolean
}) {
  const { number, firstName, lastName, address, state, totalCents, createdAtMs, lines, status } = order
  return (
    <li className="order">
      <a className="order__link" href={orderPath(number)}>
        <span className="order__name">
          {firstName} {lastName}
        </span>
        <span className="order__number">{number}</span>
        <span className="order__place">
          {address}, {state}
        </span>
        <span className="order__total">{formatKsh(kshOf(totalCents))}</span>
        <span className="order__lines">{lines.map(({ title, qty }) => `${qty} × ${title}`).join(', ')}</span>
        <span className="order__time">{ago(createdAtMs, nowMs)}</span>
      </a>
      {showsStatus ? <span className="mark">{ORDER_STATUS_LABELS[status]}</span> : null}
      {order.isRefundDue ? <span className="mark mark--due">Refund due</span> : null}
    </li>
  )
}
