import type { ReactNode } from 'react'
import { DateTime } from '#office/platform/date-time.tsx'
import { getOrderPath, getOrderReturnsPath } from '#office/platform/sections.ts'
import { describeNotReturnable, withReplacements } from '#server/orders/create-return.ts'
import { previewExchange } from '#server/orders/edited-order.ts'
import { formatDeliveryInstruction } from '#server/orders/exchange-delivery.ts'
import { calculateBalance } from '#server/orders/order-record.ts'
import type { OrderReturn, ReturnContext, ReturnLineRow } from '#server/orders/order-returns.ts'
import { calculateReturnRefundLimits } from '#server/orders/order-returns.ts'
import { calculateExchangeDueCents } from '#server/orders/return-steps.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { CENTS_PER_KSH, formatMoney, formatNameWithSize } from '#shared/format.ts'
import {
  isOpenReturn,
  isReturnable,
  listReturnableLines,
  RETURN_KIND_LABELS,
  RETURN_REASON_LABELS,
  RETURN_STATE_LABELS,
} from '#shared/orders/returns.ts'
import { shop } from '#shared/shop.ts'
import { NewReturnForm } from './new-return-form.tsx'
import { ReplacementList, ReplacementSelect } from './replacement-select.tsx'

type OrderReturnsProps = {
  context: ReturnContext
  catalogue: Catalogue
  entered: FormFields | undefined
}

export function OrderReturns({ context, catalogue, entered }: OrderReturnsProps) {
  const { record, returns } = context
  const { number, status, revision } = record.row
  const lines = listReturnableLines(record.lines, returns).filter(({ returnableQty }) => returnableQty > 0)
  return (
    <>
      <h1>Returns and exchanges for {number}</h1>
      <p>
        <a className="page-link" href={getOrderPath(number)}>
          Back to the order
        </a>
      </p>
      {isReturnable(status) ? <ReplacementList catalogue={catalogue} /> : null}
      {returns.map((orderReturn) => (
        <section className="panel" key={orderReturn.id}>
          <h2>
            {RETURN_KIND_LABELS[orderReturn.kind]}{' '}
            <span className="mark">{RETURN_STATE_LABELS[orderReturn.state]}</span>
          </h2>
          <p>
            {orderReturn.isByShopper ? 'Requested by the customer' : 'Created'}{' '}
            <DateTime atMs={orderReturn.createdAtMs} isInline />. {RETURN_REASON_LABELS[orderReturn.reason]}.
          </p>
          {orderReturn.note ? <blockquote>{orderReturn.note}</blockquote> : null}
          {orderReturn.declineMessage ? <p>Your message: {orderReturn.declineMessage}</p> : null}
          <ul className="history">
            {orderReturn.lines.map((line) => (
              <li key={line.position}>{describeLine(line, catalogue)}</li>
            ))}
          </ul>
          {isOpenReturn(orderReturn) ? <p>{formatDeliveryInstruction(orderReturn)}</p> : null}
          <ReturnActions
            context={context}
            orderReturn={orderReturn}
            catalogue={catalogue}
            entered={entered?.('return') === orderReturn.id ? entered : undefined}
          />
        </section>
      ))}
      {isReturnable(status) && lines.length > 0 ? (
        <NewReturnForm
          number={number}
          revision={revision}
          lines={lines}
          catalogue={catalogue}
          entered={entered?.('returnAction') === 'create' ? entered : undefined}
        />
      ) : null}
      {!isReturnable(status) ? <p className="empty">{describeNotReturnable(context.record.row)}</p> : null}
    </>
  )
}

function describeLine(line: ReturnLineRow, catalogue: Catalogue): string {
  const { qty, title, size, unitPriceCents, replacementTitle, replacementSize, isRestocked } = line
  const name = `${qty} × ${formatNameWithSize(title, size)}, ${formatMoney(unitPriceCents * qty)}`
  const replacement = replacementTitle
    ? ` → ${formatNameWithSize(replacementTitle, replacementSize)}, ${formatMoney((line.replacementPriceCents ?? 0) * qty)}`
    : ''
  const restockNote = isRestocked
    ? ' (back in stock)'
    : isRestocked === false && isStocked(line, catalogue)
      ? ' (not restocked)'
      : ''
  return name + restockNote + replacement
}

type ReturnActionsProps = OrderReturnsProps & { orderReturn: OrderReturn }

function ReturnActions({ context, orderReturn, catalogue, entered }: ReturnActionsProps) {
  const form = { orderReturn, number: context.record.row.number }
  const approved = entered?.('returnAction') === 'approve' ? entered : undefined
  switch (orderReturn.state) {
    case 'requested':
      return (
        <>
          <ActionForm
            {...form}
            action="approve"
            button={`Approve ${RETURN_KIND_LABELS[orderReturn.kind].toLowerCase()}`}
          >
            {orderReturn.kind === 'exchange' ? (
              <RequestedDifference context={context} orderReturn={orderReturn} catalogue={catalogue} />
            ) : null}
            {orderReturn.kind === 'exchange'
              ? orderReturn.lines.map((line) => (
                  <ReplacementSelect
                    key={line.position}
                    id={`${orderReturn.id}-${line.position}`}
                    index={line.position}
                    line={line}
                    catalogue={catalogue}
                    selected={approved ? approved(`for-${line.position}`) : line.replacementId?.toString()}
                    other={approved?.(`other-${line.position}`)}
                  />
                ))
              : null}
          </ActionForm>
          <ActionForm {...form} action="decline" button="Decline request" isSecondary>
            <div className="field">
              <label htmlFor={`${orderReturn.id}-message`}>Message to the customer (if you decline)</label>
              <textarea
                id={`${orderReturn.id}-message`}
                name="message"
                rows={2}
                maxLength={500}
                defaultValue={entered?.('message')}
                required
              />
            </div>
          </ActionForm>
        </>
      )
    case 'expected':
      return (
        <>
          {orderReturn.reservedUntilMs === null ? null : (
            <p>
              {orderReturn.lines.length === 1 ? 'The replacement is' : 'The replacements are'} reserved until{' '}
              <DateTime atMs={orderReturn.reservedUntilMs} isInline />.
            </p>
          )}
          <ReceiveForm context={context} orderReturn={orderReturn} catalogue={catalogue} />
          <ActionForm
            {...form}
            action="cancel"
            button={`Cancel ${RETURN_KIND_LABELS[orderReturn.kind].toLowerCase()}`}
            isSecondary
          />
        </>
      )
    case 'received':
      return orderReturn.kind === 'exchange' ? (
        <CompleteExchange {...form} dueCents={calculateExchangeDueCents(context, orderReturn)} />
      ) : (
        <RefundForm context={context} orderReturn={orderReturn} entered={entered} />
      )
    case 'completed':
      return orderReturn.kind === 'return' ? (
        <p>
          {orderReturn.creditedCents > 0
            ? `Taken off the amount due: ${formatMoney(orderReturn.creditedCents)}. `
            : null}
          {orderReturn.refundedCents > 0
            ? `Refund: ${formatMoney(orderReturn.refundedCents)}.`
            : 'Completed without a refund.'}
        </p>
      ) : null
    default:
      return null
  }
}

/** Items made to order can't be put back in stock. */
function isStocked({ productId }: ReturnLineRow, catalogue: Catalogue): boolean {
  const item = findItem(catalogue, productId)
  return !item || item.product.left?.[productId] !== undefined
}

function RestockFields({ orderReturn, catalogue }: { orderReturn: OrderReturn; catalogue: Catalogue }) {
  const stocked = orderReturn.lines.filter((line) => isStocked(line, catalogue))
  if (stocked.length === 0) return null
  return (
    <fieldset className="choices">
      <legend>Put back in stock</legend>
      {stocked.map(({ position, qty, title, size }) => (
        <label className="choice" key={position}>
          <input
            type="checkbox"
            name={`restock-${position}`}
            value="1"
            defaultChecked={orderReturn.reason !== 'faulty'}
          />{' '}
          {qty} × {formatNameWithSize(title, size)}
        </label>
      ))}
    </fieldset>
  )
}

type RequestedDifferenceProps = Pick<ReturnActionsProps, 'context' | 'orderReturn' | 'catalogue'>

/** Says what approving the requested replacements costs. The owner can still choose others. */
function RequestedDifference({ context, orderReturn, catalogue }: RequestedDifferenceProps) {
  const requested = orderReturn.lines.map(({ replacementId }) => ({
    replacementId: replacementId ?? undefined,
  }))
  const priced = withReplacements(orderReturn, requested, catalogue)
  if (!priced.ok) return null
  const { refundCents, dueCents } = previewOutcome(context, priced.data)
  if (refundCents === 0 && dueCents === 0) return null
  return (
    <p>
      With the {requested.length === 1 ? 'replacement' : 'replacements'} the customer asked for,{' '}
      {dueCents > 0 ? (
        <>
          the difference of <strong>{formatMoney(dueCents)}</strong> will be due
        </>
      ) : (
        <>
          we’ll refund <strong>{formatMoney(refundCents)}</strong>
        </>
      )}{' '}
      once you’ve received the items.
    </p>
  )
}

function previewOutcome(context: ReturnContext, exchange: OrderReturn) {
  const { changed, surplusCents } = previewExchange(context, exchange)
  return {
    refundCents: surplusCents,
    dueCents: calculateExchangeDueCents({ record: changed, returns: [] }, exchange),
  }
}

type ReceiveFormProps = Pick<ReturnActionsProps, 'context' | 'orderReturn' | 'catalogue'>

function ReceiveForm({ context, orderReturn, catalogue }: ReceiveFormProps) {
  const { refundCents, dueCents } =
    orderReturn.kind === 'exchange' ? previewOutcome(context, orderReturn) : { refundCents: 0, dueCents: 0 }
  return (
    <ActionForm
      orderReturn={orderReturn}
      number={context.record.row.number}
      action="receive"
      button={
        refundCents > 0 ? `Mark as received and refund ${formatMoney(refundCents)}` : 'Mark as received'
      }
    >
      <input type="hidden" name="refund" value={refundCents} />
      {dueCents > 0 ? (
        <p>
          The difference of <strong>{formatMoney(dueCents)}</strong> will be due once you’ve received the
          items.
        </p>
      ) : null}
      <RestockFields orderReturn={orderReturn} catalogue={catalogue} />
    </ActionForm>
  )
}

type CompleteExchangeProps = { orderReturn: OrderReturn; number: string; dueCents: number }

function CompleteExchange({ orderReturn, number, dueCents }: CompleteExchangeProps) {
  if (dueCents > 0)
    return (
      <>
        <p>
          The customer still has to pay the difference of <strong>{formatMoney(dueCents)}</strong>.{' '}
          <a href={`${getOrderPath(number)}/payment-link`}>Share payment link</a>
        </p>
        <p>
          If they no longer want the exchange, turn it into a return. The replacement goes back into stock,
          and you can refund the items you received.
        </p>
        <ActionForm
          orderReturn={orderReturn}
          number={number}
          action="convert"
          button="Turn into a return"
          isSecondary
        />
      </>
    )
  return (
    <ActionForm
      orderReturn={orderReturn}
      number={number}
      action="complete"
      button={
        orderReturn.lines.length === 1
          ? 'Mark replacement as handed over'
          : 'Mark replacements as handed over'
      }
    />
  )
}

type RefundFormProps = Pick<ReturnActionsProps, 'context' | 'orderReturn' | 'entered'>

function RefundForm({ context, orderReturn, entered }: RefundFormProps) {
  const { goodsCents, shippingCents, creditedGoodsCents, creditedShippingCents } =
    calculateReturnRefundLimits(context, orderReturn)
  const hasRefund = goodsCents + shippingCents > 0 || creditedGoodsCents + creditedShippingCents === 0
  return (
    <ActionForm
      orderReturn={orderReturn}
      number={context.record.row.number}
      action="complete"
      button={hasRefund ? 'Refund and complete return' : 'Complete return'}
    >
      <input type="hidden" name="due" value={calculateBalance(context.record).dueCents} />
      {creditedGoodsCents > 0 ? (
        <p>
          These items haven’t been fully paid for, so <strong>{formatMoney(creditedGoodsCents)}</strong> is
          taken off the amount due.
        </p>
      ) : null}
      {hasRefund ? (
        <div className="field">
          <label htmlFor={`${orderReturn.id}-amount`}>Refund in {shop.currency} (0 for none)</label>
          <input
            id={`${orderReturn.id}-amount`}
            name="amount"
            inputMode="numeric"
            autoComplete="off"
            maxLength={9}
            defaultValue={entered?.('amount') ?? goodsCents / CENTS_PER_KSH}
            required
          />
          <p className="note">
            You can refund up to {formatMoney(goodsCents)} for these items
            {shippingCents > 0 ? `, and up to ${formatMoney(shippingCents)} for shipping` : ''}.
          </p>
        </div>
      ) : null}
      {shippingCents + creditedShippingCents > 0 ? (
        <label className="choice">
          <input type="checkbox" name="shipping" value="1" defaultChecked={Boolean(entered?.('shipping'))} />{' '}
          {creditedShippingCents > 0
            ? `Take the shipping of ${formatMoney(creditedShippingCents)} off the amount due too. Otherwise, the customer still has to pay it.`
            : 'The amount includes shipping'}
        </label>
      ) : null}
    </ActionForm>
  )
}

type ActionFormProps = {
  orderReturn: OrderReturn
  number: string
  action: string
  button: string
  isSecondary?: boolean
  children?: ReactNode
}

function ActionForm({ orderReturn, number, action, button, isSecondary = false, children }: ActionFormProps) {
  return (
    <form className="inline" method="post" action={getOrderReturnsPath(number)}>
      <input type="hidden" name="return" value={orderReturn.id} />
      {children}
      <button
        className={isSecondary ? 'button button--quiet' : 'button'}
        type="submit"
        name="returnAction"
        value={action}
      >
        {button}
      </button>
    </form>
  )
}
