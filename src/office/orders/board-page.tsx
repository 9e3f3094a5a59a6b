import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { Badge, renderOfficePage } from '#office/platform/layout.tsx'
import { SearchForm } from '#office/platform/search-form.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import {
  type BoardPage,
  countByStage,
  type ListedOrder,
  ORDER_STAGES,
  type OrderStage,
  PACKER_STAGES,
  readBoard,
} from '#server/orders/office-board.ts'
import { type ChangedOrder, readChangedOrder } from '#server/orders/office-order.ts'
import { maySeeStatus } from '#server/orders/packer-access.ts'
import { searchOrders } from '#server/orders/search-orders.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { getOrderStatusLabel, type OrderStatus } from '#shared/orders/order-status.ts'
import type { Actor } from '#shared/team/roles.ts'
import { formatTimeAgo } from '#shared/time.ts'
import { getNextFulfilmentStatus, getStatusActionLabel } from './order-status-buttons.tsx'
import { isUnpaid, PaymentBadge } from './payment-badge.tsx'

const STAGE_LABELS: Record<OrderStage, string> = {
  pay: 'Unpaid',
  pack: 'To pack',
  send: 'To send',
  'on-the-way': 'On its way or ready',
  done: 'Done',
}

const EMPTY_STAGE_MESSAGES: Record<OrderStage, string> = {
  pay: 'No unpaid orders. Orders waiting for payment, and delivered orders that aren’t fully paid, will appear here.',
  pack: 'Nothing to pack. Paid and cash on delivery orders will appear here.',
  send: 'Nothing to send. Packed orders will appear here.',
  'on-the-way': 'Nothing on its way or ready. Orders you send or mark as ready for pickup will appear here.',
  done: 'No finished orders yet. Delivered, cancelled and expired orders will appear here.',
}
const STAGES = Object.keys(ORDER_STAGES) as OrderStage[]

export function boardRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/', async (c) => {
    const { q = '', stage: stageName, after, changed = '' } = c.req.query()
    const isPacker = c.var.identity.role === 'packer'
    const stages = isPacker ? PACKER_STAGES : STAGES
    const stage = stages.find((name) => name === stageName) ?? 'pack'
    const query = isPacker ? '' : q.trim()
    const [counts, changedOrder, page] = await Promise.all([
      countByStage(ctx),
      changed ? readChangedOrder(c.var.identity, changed, ctx) : undefined,
      query
        ? searchOrders({ text: query }, c.var.ownerContext()).then((orders) => ({ orders, next: null }))
        : readBoard({ stage, after, viewer: c.var.identity }, ctx),
    ])
    return renderOfficePage(c, {
      title: query ? `Search: ${query}` : STAGE_LABELS[stage],
      section: 'orders',
      ...(changedOrder
        ? { notice: <ChangedNotice order={changedOrder} stage={stage} viewer={c.var.identity} /> }
        : {}),
      children: (
        <OrderBoard
          page={page}
          stage={query ? undefined : stage}
          query={query}
          counts={counts}
          nowMs={ctx.clock()}
          isPacker={isPacker}
        />
      ),
    })
  })
}

type ChangedNoticeProps = { order: ChangedOrder; stage: OrderStage; viewer: Actor }

function ChangedNotice({ order, stage, viewer }: ChangedNoticeProps) {
  const { number, status } = order.row
  const [previous] = order.previous
  return (
    <>
      <span>
        {maySeeStatus(viewer, status) ? <a href={getOrderPath(number)}>{number}</a> : number} is now “
        {getOrderStatusLabel(status, order.row)}”.
      </span>
      {previous ? <StatusForm order={order.row} to={previous} stage={stage} label="Undo" /> : null}
    </>
  )
}

function StatusForm({
  order: { number, status, revision },
  to,
  stage,
  label,
  collectCents = 0,
}: {
  order: Pick<ListedOrder, 'number' | 'status' | 'revision'>
  to: OrderStatus
  stage: OrderStage
  label: string | undefined
  collectCents?: number
}) {
  return (
    <form method="post" action={`${getOrderPath(number)}/status`}>
      <input type="hidden" name="from" value={status} />
      <input type="hidden" name="revision" value={revision} />
      <input type="hidden" name="stage" value={stage} />
      {collectCents > 0 ? (
        <>
          <input type="hidden" name="collected" value="yes" />
          <input type="hidden" name="seen" value={collectCents} />
        </>
      ) : null}
      <button className="button button--quiet" type="submit" name="to" value={to}>
        {label} <span className="visually-hidden">{number}</span>
      </button>
    </form>
  )
}

type OrderBoardProps = {
  page: BoardPage
  /** Undefined if the page shows search results. */
  stage: OrderStage | undefined
  query: string
  counts: Record<OrderStage, number>
  nowMs: number
  isPacker: boolean
}

function OrderBoard({ page, stage, query, counts, nowMs, isPacker }: OrderBoardProps) {
  return (
    <>
      <h1>Orders</h1>
      {isPacker ? null : (
        <>
          <SearchForm
            action="/"
            label="Order number, name, phone, email or receipt"
            placeholder="Number, name, phone, email"
            query={query}
          />
          <p>
            <a className="button button--quiet" href="/new-order">
              New order
            </a>
          </p>
        </>
      )}
      <nav className="stages" aria-label="Order stages">
        {(isPacker ? PACKER_STAGES : STAGES).map((name) => (
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
          {stage
            ? EMPTY_STAGE_MESSAGES[stage]
            : `No orders match “${query}”. Try an order number, name, phone number, email or receipt.`}
        </p>
      ) : (
        <ol className="orders">
          {page.orders.map((order) => (
            <OrderRow key={order.id} order={order} nowMs={nowMs} stage={stage} isPacker={isPacker} />
          ))}
        </ol>
      )}
      {page.orders.length > 0 && (stage === 'pack' || stage === 'send') ? (
        <form id="slips" action="/packing-slips">
          <input type="hidden" name="stage" value={stage} />
          <button className="button button--quiet" type="submit">
            Print slips
          </button>
        </form>
      ) : null}
      {page.next && stage ? (
        <p>
          <a className="button button--quiet" href={`/?stage=${stage}&after=${page.next}`}>
            Show more orders
          </a>
        </p>
      ) : null}
    </>
  )
}

function formatOrderAge(createdAtMs: number, nowMs: number): string {
  const age = formatTimeAgo(createdAtMs, nowMs)
  return /^\d/.test(age) ? `${age} ago` : age
}

type OrderRowProps = { order: ListedOrder; nowMs: number; stage: OrderStage | undefined; isPacker: boolean }

export function OrderRow({ order, nowMs, stage, isPacker }: OrderRowProps) {
  const { number, firstName, lastName, address, state, pickup, totalCents, createdAtMs, lines, status } =
    order
  const stageStatuses: readonly OrderStatus[] = stage ? ORDER_STAGES[stage] : []
  const isStatusClear = stageStatuses.length === 1 && stageStatuses.includes(status)
  const nextStatus = stage && getNextFulfilmentStatus(order)
  const collectCents = order.isCashOnDelivery && nextStatus === 'delivered' ? order.balance.dueCents : 0
  return (
    <li className="order">
      <a className="order__link" href={getOrderPath(number)}>
        <span className="order__name">
          {firstName} {lastName}
        </span>
        <span className="order__number">{number}</span>
        <span className="order__place">{pickup === null ? `${address}, ${state}` : 'Pickup'}</span>
        {isPacker ? null : <span className="order__total">{formatMoney(totalCents)}</span>}
        <span className="order__lines">
          {lines.map(({ title, size, qty }) => `${qty}\u00a0× ${formatNameWithSize(title, size)}`).join('; ')}
        </span>
      </a>
      <div className="order__actions">
        <span className="order__time">{formatOrderAge(createdAtMs, nowMs)}</span>
        {stage === 'pack' || stage === 'send' ? (
          <label className="order__choice">
            <input type="checkbox" name="orders" value={number} form="slips" />
            <span>
              Print slip <span className="visually-hidden">for {number}</span>
            </span>
          </label>
        ) : null}
        {!isStatusClear && !isUnpaid(status, order.balance) ? (
          <span className="mark">{getOrderStatusLabel(status, order)}</span>
        ) : null}
        <PaymentBadge balance={order.balance} isPacker={isPacker} isCashOnDelivery={order.isCashOnDelivery} />
        {nextStatus ? (
          <StatusForm
            order={order}
            to={nextStatus}
            stage={stage}
            label={
              collectCents > 0
                ? `Mark as delivered and paid, ${formatMoney(collectCents)}`
                : getStatusActionLabel(status, nextStatus)
            }
            collectCents={collectCents}
          />
        ) : null}
      </div>
    </li>
  )
}
