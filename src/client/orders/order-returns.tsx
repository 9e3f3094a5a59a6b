import { useAtomValue } from 'jotai'
import { useEffect, useRef, useState } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { onPageRestored } from '#client/app/wait.ts'
import { KeepButton } from '#client/ui/keep-button.tsx'
import { formatMoney } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { type OrderRef, orderHref, orderQuestionHref } from '#shared/orders/order-link.ts'
import {
  CANCEL_RETURN_FIELD,
  EXCHANGE_DELIVERY_FIELD,
  getReturnElementId,
  RETURN_ERROR_ID,
  RETURN_KIND_FIELD,
  RETURN_REQUEST_ID,
  RETURNS_ID,
} from '#shared/orders/return-form.ts'
import {
  divideReturnValue,
  formatReturnStatus,
  isOpenReturn,
  RETURN_DECISION_PROMISE,
  RETURN_KIND_LABELS,
  RETURN_KINDS,
  RETURN_NOTE_MAX_CHARACTERS,
  RETURN_REASON_LABELS,
  RETURN_REASONS,
} from '#shared/orders/returns.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import {
  Choice,
  type EnteredReturn,
  FieldError,
  getErrorProps,
  getFieldId,
  RadioGroup,
  toEnteredReturn,
  wantsOtherItem,
  withoutErrorsOf,
} from './return-field.tsx'
import { ReturnLine } from './return-line.tsx'

type OrderReturnsProps = { view: OrderView; orderRef: OrderRef; posted: FormResult | undefined }

export function OrderReturns({ view, orderRef, posted }: OrderReturnsProps) {
  const { returns, returnable } = view
  const failed = posted?.outcome?.kind === 'failed' ? posted.outcome : undefined
  if (returns.length === 0 && !returnable && !failed) return null
  const entered = toEnteredReturn(posted, returnable?.lines ?? [])
  const renderSummaries = (isOpen: boolean) =>
    returns.map(
      (orderReturn, index) =>
        isOpenReturn(orderReturn) === isOpen && (
          <ReturnSummary
            // biome-ignore lint/suspicious/noArrayIndexKey: returns are only added
            key={returns.length - index}
            orderReturn={orderReturn}
            id={getReturnElementId(index, returns.length)}
            order={view.order}
            orderRef={orderRef}
          />
        ),
    )
  return (
    <section className="order__returns stack" aria-labelledby={RETURNS_ID}>
      <h2 id={RETURNS_ID}>Returns and exchanges</h2>
      <a className="checkout__follow" href={`${href('contact')}#returns`}>
        How returns work
      </a>
      {renderSummaries(true)}
      {failed && entered.firstInvalid === undefined && (
        <p id={RETURN_ERROR_ID} className="banner banner--error" role="alert">
          {failed.message}
        </p>
      )}
      {returnable && (
        <>
          <p>{`You can send a request until ${returnable.until}.`}</p>
          <RequestForm
            returnable={returnable}
            order={view.order}
            orderRef={orderRef}
            entered={entered}
            isOpen={failed !== undefined && !(CANCEL_RETURN_FIELD in entered.values)}
          />
        </>
      )}
      {renderSummaries(false)}
    </section>
  )
}

type ReturnSummaryProps = {
  orderReturn: OrderView['returns'][number]
  id: string
  order: OrderView['order']
  orderRef: OrderRef
}

function ReturnSummary({ orderReturn, id, order, orderRef }: ReturnSummaryProps) {
  const {
    kind,
    state,
    createdOn,
    reason,
    items,
    message,
    declineMessage,
    nextSteps,
    needsArrangement,
    cancellableId,
  } = orderReturn
  const { contact } = useAtomValue(bootAtom)
  const headingId = `${id}-heading`
  const nextStepId = `${id}-next-step`
  return (
    <section
      id={id}
      className="panel"
      aria-labelledby={headingId}
      aria-describedby={nextSteps.length > 0 ? nextStepId : undefined}
    >
      <div className="stack stack--s">
        <p className="eyebrow">{createdOn}</p>
        <h3 id={headingId}>{formatReturnStatus({ kind, state })}</h3>
        <p className="order__extra">{[...items, ...(reason ? [`Reason: ${reason}`] : [])].join('\n')}</p>
        {message && <p className="order__extra">{`Your message: ${message}`}</p>}
        {declineMessage && <p className="order__extra">{`Our reply: ${declineMessage}`}</p>}
        {nextSteps.map((step, index) => (
          <p key={step} id={index === 0 ? nextStepId : undefined} className="order__extra">
            {step}
          </p>
        ))}
        {needsArrangement && (
          <a
            className="button button--quiet"
            href={orderQuestionHref(
              order.number,
              contact ?? shop,
              `I’d like to arrange the ${kind} for my order`,
            )}
          >
            {(contact ?? shop).whatsapp ? 'Arrange it on WhatsApp' : 'Arrange it by email'}
          </a>
        )}
        {cancellableId && (
          <details className="disclosure">
            <summary>{`Cancel this ${kind}`}</summary>
            <form method="post" action={orderHref(orderRef)} data-offline={`your ${kind} wasn’t cancelled`}>
              <input type="hidden" name={CANCEL_RETURN_FIELD} value={cancellableId} />
              <div className="order__buttons">
                <button type="submit" className="button button--danger">
                  {`Yes, cancel this ${kind}`}
                </button>
                <KeepButton label={`Keep ${kind}`} />
              </div>
            </form>
          </details>
        )}
      </div>
    </section>
  )
}

type Returnable = NonNullable<OrderView['returnable']>

const NOTE_ID = 'return-note-hint'

function calculateGoodsCents(lines: Returnable['lines'], values: FormData): number {
  return lines.reduce((sum, { unitPriceCents, left }, index) => {
    const units = Math.trunc(Number(values.get(`qty-${index}`))) || 0
    return sum + unitPriceCents * Math.min(Math.max(units, 0), left)
  }, 0)
}

type RequestFormProps = {
  returnable: Returnable
  order: OrderView['order']
  orderRef: OrderRef
  entered: EnteredReturn
  isOpen: boolean
}

function RequestForm({ returnable, order, orderRef, entered: submitted, isOpen }: RequestFormProps) {
  const { approval, outcomes, costs, deliveries, lines } = returnable
  const [changedFields, setChangedFields] = useState<readonly string[]>([])
  const entered = withoutErrorsOf(changedFields, submitted)
  const formRef = useRef<HTMLFormElement>(null)
  // Undefined until hydration, and without JavaScript.
  const [values, setValues] = useState<FormData>()
  useEffect(() => {
    if (formRef.current) setValues(new FormData(formRef.current))
  }, [])
  const cost = costs[String(values?.get('reason') ?? entered.values.reason ?? '')]
  const { creditedCents, refundCents } =
    values?.get(RETURN_KIND_FIELD) === 'return'
      ? divideReturnValue(calculateGoodsCents(lines, values), returnable)
      : { creditedCents: 0, refundCents: 0 }
  const isSubmittedRef = useRef(false)
  useEffect(
    () =>
      onPageRestored(() => {
        isSubmittedRef.current = false
      }),
    [],
  )
  return (
    <details className="stack" open={isOpen}>
      <summary className="button button--quiet">Request a return or exchange</summary>
      <form
        ref={formRef}
        method="post"
        noValidate
        action={`${orderHref(orderRef)}#${RETURN_ERROR_ID}`}
        className="disclosure panel stack"
        data-offline="your request wasn’t sent"
        onInput={({ target, currentTarget }) => {
          setValues(new FormData(currentTarget))
          const field = target instanceof Element && target.getAttribute('name')
          if (field) setChangedFields((fields) => [...new Set([...fields, field])])
        }}
        onSubmit={(event) => {
          if (isSubmittedRef.current) event.preventDefault()
          isSubmittedRef.current = true
        }}
      >
        <p id={RETURN_REQUEST_ID}>{`${RETURN_DECISION_PROMISE} ${approval}`}</p>
        <RadioGroup
          field={RETURN_KIND_FIELD}
          legend="What would you like?"
          options={RETURN_KINDS.map((kind) => ({
            value: kind,
            label: RETURN_KIND_LABELS[kind],
            note: outcomes[kind],
            // Without JavaScript, the outcomes of both kinds are shown.
            isNoteHidden: values !== undefined && values.get(RETURN_KIND_FIELD) !== kind,
          }))}
          entered={entered}
        />
        <ul className="order__lines">
          {lines.map((line, index) => (
            <ReturnLine
              key={`${line.productId} ${line.unitPriceCents}`}
              line={line}
              image={order.lines.find(({ productId }) => productId === line.productId)?.image}
              index={index}
              isOnly={lines.length === 1}
              isDiscounted={order.promoCode !== null}
              wantsOther={values ? wantsOtherItem(line, index, values) : `other-${index}` in entered.values}
              entered={entered}
            />
          ))}
        </ul>
        {deliveries.length > 0 && (
          <RadioGroup
            field={EXCHANGE_DELIVERY_FIELD}
            legend="How would you like to get your new item?"
            options={deliveries.map(({ method, ...delivery }) => ({ ...delivery, value: method }))}
            initial={deliveries[0]?.method}
            className="order__exchange"
            entered={entered}
          />
        )}
        {creditedCents > 0 && (
          <p role="status">{`You’ll have ${formatMoney(creditedCents)} less to pay for this order.`}</p>
        )}
        {refundCents > 0 && <p role="status">{`We’ll refund ${formatMoney(refundCents)}.`}</p>}
        <Choice
          field="reason"
          label="Reason"
          prompt="Choose a reason"
          options={RETURN_REASONS.map((reason) => [reason, RETURN_REASON_LABELS[reason]])}
          entered={entered}
        />
        {cost && (
          <p className="note" role="status">
            {cost}
          </p>
        )}
        <div className="field">
          <label htmlFor={getFieldId('returnNote', entered)}>Message (optional)</label>
          <textarea
            id={getFieldId('returnNote', entered)}
            name="returnNote"
            rows={3}
            maxLength={RETURN_NOTE_MAX_CHARACTERS}
            defaultValue={entered.values.returnNote}
            {...getErrorProps('returnNote', entered)}
            aria-describedby={
              [entered.errors.returnNote && 'returnNote-error', !values && NOTE_ID]
                .filter(Boolean)
                .join(' ') || undefined
            }
          />
          <FieldError field="returnNote" entered={entered} />
          {!values && (
            <p id={NOTE_ID} className="field__note order__exchange">
              {lines.some(({ sizes }) => sizes.length > 0)
                ? 'If you haven’t chosen a size, please say which item you’d like instead.'
                : 'Please say which item you’d like instead.'}
            </p>
          )}
        </div>
        <button type="submit" className="button">
          Send request
        </button>
      </form>
    </details>
  )
}
