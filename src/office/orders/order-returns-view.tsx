import type { ReactNode } from 'react'
import { Moment } from '#office/platform/moment.tsx'
import { orderPath, orderReturnsPath } from '#office/platform/sections.ts'
import { returnRefundLimits } from '#server/orders/change-return.ts'
import { balanceOf } from '#server/orders/order-record.ts'
import type { OrderReturn, ReturnContext, ReturnLineRow } from '#server/orders/order-returns.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { CENTS, formatMoney, nameWithSize } from '#shared/format.ts'
import {
  isReturnable,
  RETURN_KIND_LABELS,
  RETURN_REASONS,
  RETURN_STATE_LABELS,
  returnableLines,
} from '#shared/orders/returns.ts'
import { shop } from '#shared/shop.ts'
import { NewReturnForm } from './new-return-form.tsx'
import { ReplacementList, ReplacementSelect } from './replacement-select.tsx'

type OrderReturnsProps = {
  found: ReturnContext
  catalogue: Catalogue
  entered: FormFields | undefined
}

export function OrderReturns({ found, catalogue, entered }: OrderReturnsProps) {
  const { record, returns } = found
  const { number, status } = record.row
  const lines = returnableLines(record.lines, returns).filter(({ left }) => left > 0)
  return (
    <>
      <h1>Returns and exchanges for {number}</h1>
      <p>
        <a href={orderPath(number)}>Back to the order</a>
      </p>
      {isReturnable(status) ? <ReplacementList catalogue={catalogue} /> : null}
      {returns.map((one) => (
        <section className="panel" key={one.id}>
          <h2>
            {RETURN_KIND_LABELS[one.kind]} <span className="mark">{RETURN_STATE_LABELS[one.state]}</span>
          </h2>
          <p>
            {one.isByShopper ? 'Requested by the customer' : 'Created'}{' '}
            <Moment atMs={one.createdAtMs} isInline />. {RETURN_REASONS[one.reason]}.
          </p>
          {one.note ? <blockquote>{one.note}</blockquote> : null}
          <ul className="history">
            {one.lines.map((line) => (
              <li key={line.position}>{describeLine(line)}</li>
            ))}
          </ul>
          <Steps
            found={found}
            one={one}
            catalogue={catalogue}
            entered={entered?.('return') === one.id ? entered : undefined}
          />
        </section>
      ))}
      {isReturnable(status) && lines.length > 0 ? (
        <NewReturnForm
          number={number}
          lines={lines}
          catalogue={catalogue}
          entered={entered?.('do') === 'create' ? entered : undefined}
        />
      ) : null}
      {!isReturnable(status) ? (
        <p className="empty">
          You can create a return once the order is sent. Until then, edit or cancel the order.
        </p>
      ) : null}
    </>
  )
}

function describeLine(line: ReturnLineRow): string {
  const { qty, title, size, unitPriceCents, replacementTitle, replacementSize, isRestocked } = line
  const name = `${qty} × ${nameWithSize(title, size)}, ${formatMoney(unitPriceCents * qty)}`
  const replacement = replacementTitle
    ? ` → ${nameWithSize(replacementTitle, replacementSize)}, ${formatMoney((line.replacementPriceCents ?? 0) * qty)}`
    : ''
  const restocked = isRestocked === null ? '' : isRestocked ? ' (back in stock)' : ' (not restocked)'
  return name + replacement + restocked
}

type StepsProps = Omit<OrderReturnsProps, 'found'> & { found: ReturnContext; one: OrderReturn }

function Steps({ found, one, catalogue, entered }: StepsProps) {
  const form = { one, number: found.record.row.number }
  switch (one.state) {
    case 'requested':
      return (
        <>
          <StepForm {...form} step="approve" button={`Approve ${RETURN_KIND_LABELS[one.kind].toLowerCase()}`}>
            {one.kind === 'exchange'
              ? one.lines.map((line) => (
                  <ReplacementSelect
                    key={line.position}
                    id={`${one.id}-${line.position}`}
                    index={line.position}
                    line={line}
                    catalogue={catalogue}
                    selected={entered?.(`for-${line.position}`)}
                    other={entered?.(`other-${line.position}`)}
                  />
                ))
              : null}
          </StepForm>
          <StepForm {...form} step="decline" button="Decline request" isSecondary>
            <div className="field">
              <label htmlFor={`${one.id}-message`}>Message to the customer (if you decline)</label>
              <textarea
                id={`${one.id}-message`}
                name="message"
                rows={2}
                maxLength={500}
                defaultValue={entered?.('message')}
                required
              />
            </div>
          </StepForm>
        </>
      )
    case 'expected':
      return (
        <>
          {one.reservedUntilMs === null ? null : (
            <p>
              The replacement is reserved until <Moment atMs={one.reservedUntilMs} isInline />.
            </p>
          )}
          <StepForm {...form} step="receive" button="Mark as received">
            <fieldset>
              <legend>Put back in stock</legend>
              {one.lines.map(({ position, qty, title, size }) => (
                <label className="choice" key={position}>
                  <input type="checkbox" name={`restock-${position}`} value="1" defaultChecked /> {qty} ×{' '}
                  {nameWithSize(title, size)}
                </label>
              ))}
            </fieldset>
          </StepForm>
          <StepForm
            {...form}
            step="cancel"
            button={`Cancel ${RETURN_KIND_LABELS[one.kind].toLowerCase()}`}
            isSecondary
          />
        </>
      )
    case 'received':
      return one.kind === 'exchange' ? (
        <CompleteExchange {...form} dueCents={balanceOf(found.record).dueCents} />
      ) : (
        <RefundForm found={found} one={one} entered={entered} />
      )
    case 'completed':
      return one.kind === 'return' ? <p>Refund: {formatMoney(one.refundedCents)}.</p> : null
    default:
      return null
  }
}

function CompleteExchange({ one, number, dueCents }: { one: OrderReturn; number: string; dueCents: number }) {
  if (dueCents > 0)
    return (
      <p>
        The customer still has to pay the difference of <strong>{formatMoney(dueCents)}</strong>.{' '}
        <a href={`${orderPath(number)}/payment-link`}>Share payment link</a>
      </p>
    )
  return <StepForm one={one} number={number} step="complete" button="Mark replacement as handed over" />
}

type RefundFormProps = Pick<StepsProps, 'found' | 'one' | 'entered'>

function RefundForm({ found, one, entered }: RefundFormProps) {
  const { goodsCents, shippingCents } = returnRefundLimits(found, one)
  return (
    <StepForm one={one} number={found.record.row.number} step="complete" button="Refund and complete return">
      <div className="field">
        <label htmlFor={`${one.id}-amount`}>Refund in {shop.currency} (0 for none)</label>
        <input
          id={`${one.id}-amount`}
          name="amount"
          inputMode="numeric"
          autoComplete="off"
          maxLength={9}
          defaultValue={entered?.('amount') ?? goodsCents / CENTS}
          required
        />
        <p className="note">
          You can refund up to {formatMoney(goodsCents)} for these items
          {shippingCents > 0 ? `, and up to ${formatMoney(shippingCents)} for shipping` : ''}.
        </p>
      </div>
      {shippingCents > 0 ? (
        <label className="choice">
          <input type="checkbox" name="shipping" value="1" defaultChecked={Boolean(entered?.('shipping'))} />{' '}
          The amount includes shipping
        </label>
      ) : null}
    </StepForm>
  )
}

type StepFormProps = {
  one: OrderReturn
  number: string
  step: string
  button: string
  isSecondary?: boolean
  children?: ReactNode
}

function StepForm({ one, number, step, button, isSecondary = false, children }: StepFormProps) {
  return (
    <form className="inline" method="post" action={orderReturnsPath(number)}>
      <input type="hidden" name="return" value={one.id} />
      {children}
      <button
        className={isSecondary ? 'button button--quiet' : 'button'}
        type="submit"
        name="do"
        value={step}
      >
        {button}
      </button>
    </form>
  )
}
