import { useEffect, useRef, useState } from 'react'
import { callApi } from '#client/app/api.ts'
import { createDraftAtom } from '#client/app/drafts.ts'
import { navigate } from '#client/app/router/page.ts'
import type { CardHandle } from '#client/checkout/card-fields.tsx'
import { createPayment, PAYMENT_HEADING_ID, PayWith } from '#client/checkout/pay-with.tsx'
import { PAYMENT_UNCONFIRMED_MESSAGE } from '#client/checkout/shown-order.ts'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { focusHeading } from '#client/ui/use-shown-heading.ts'
import { formatMoney } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { type OrderRef, orderHref } from '#shared/orders/order-link.ts'
import type { FormResult } from '#shared/page-data.ts'
import type { Payment, PaymentState } from '#shared/payments/contract.ts'
import { findPaymentPhoneProblem, formatLocalPhone } from '#shared/payments/payment.ts'
import {
  getProviderDescriptor,
  hasFlow,
  type PaymentMethod,
  PROMPT_PHONE_FIELD,
} from '#shared/payments/providers.ts'
import { fetchOrderView, withOrderParams } from './order-view.ts'

const payerDraftAtom = createDraftAtom()

type PayByLinkProps = {
  payment: PaymentState
  orderRef: OrderRef
  posted: FormResult | undefined
  onChange: (view: OrderView) => void
}

export function PayByLink({ payment, orderRef, posted, onChange }: PayByLinkProps) {
  const { status, provider, redirectTo, methods, expiresInMs } = payment
  const form = <PayForm payment={payment} orderRef={orderRef} posted={posted} onChange={onChange} />
  return (
    <>
      {expiresInMs !== null && (
        <p className="note">{`Please pay within ${formatWait(expiresInMs)}, or the order will expire.`}</p>
      )}
      {status === 'waiting' && redirectTo && (
        <a className="button button--wide" href={redirectTo}>
          {`Continue to ${getProviderDescriptor(provider).name}`}
        </a>
      )}
      {status === 'waiting' && (
        <noscript>
          <a className="button button--quiet button--wide" href={orderHref(orderRef)}>
            Check again
          </a>
        </noscript>
      )}
      {methods.length === 0 ? (
        <p>Please contact us to pay for this order.</p>
      ) : status === 'waiting' ? (
        <details className="disclosure">
          <summary>Try again or pay another way</summary>
          {form}
        </details>
      ) : (
        form
      )}
    </>
  )
}

const HOUR_MS = 3_600_000

function formatWait(ms: number): string {
  const [count, unit] =
    ms > HOUR_MS ? [Math.round(ms / HOUR_MS), 'hour'] : [Math.max(Math.round(ms / 60_000), 1), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function PayForm({ payment, orderRef, posted, onChange }: PayByLinkProps) {
  const { methods, provider, dueCents } = payment
  const [selected, select] = useState<PaymentMethod>()
  const method =
    methods.find((name) => name === (selected ?? posted?.values.payWith ?? provider)) ?? methods[0]
  const cardRef = useRef<CardHandle>(null)
  const isMountedRef = useRef(true)
  useEffect(() => {
    isMountedRef.current = true
    return () => {
      isMountedRef.current = false
    }
  }, [])
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: [PROMPT_PHONE_FIELD] as const,
    draft: payerDraftAtom,
    initial: { [PROMPT_PHONE_FIELD]: formatLocalPhone(payment.phone ?? '') },
    posted: posted ?? null,
    validateField: (_field, value) =>
      method && hasFlow(method, 'prompt') ? findPaymentPhoneProblem(value, method) : undefined,
    part: cardRef,
    async send({ [PROMPT_PHONE_FIELD]: phone }) {
      const details = method && (await createPayment(method, phone, cardRef.current))
      const failure = details && (await payByLink(orderRef, details))
      const view = await fetchOrderView(orderRef)
      if (!isMountedRef.current) return undefined
      if (view) onChange(view)
      const next = view?.payment.redirectTo
      if (!failure && method && hasFlow(method, 'redirect') && next) navigate(next)
      // The page already shows the payment's own message under the heading.
      if (failure !== view?.payment.message) return failure
      return void focusHeading(document.getElementById(PAYMENT_HEADING_ID))
    },
  })
  if (!method) return null
  return (
    <form
      {...formProps}
      action={orderHref(orderRef)}
      className="stack"
      data-offline="your payment wasn’t sent"
    >
      <PayWith
        methods={methods}
        method={method}
        onSelect={select}
        cardRef={cardRef}
        promptPhone={fieldProps(PROMPT_PHONE_FIELD)}
        isBusy={submitProps.isBusy}
      />
      <FormError state={state} />
      <SubmitButton {...submitProps} label={`Pay ${formatMoney(dueCents)}`} busyLabel="Processing..." />
    </form>
  )
}

async function payByLink(orderRef: OrderRef, payment: Payment) {
  const call = async () => {
    const { payOrderCall } = await import('#shared/orders/contract.ts')
    return withOrderParams(payOrderCall, orderRef)
  }
  const result = await callApi(call, { payment })
  if (result.ok) return undefined
  const { message = PAYMENT_UNCONFIRMED_MESSAGE, errors } = result
  const phone = errors['payment.phone']
  return phone ? { [PROMPT_PHONE_FIELD]: phone } : message
}
