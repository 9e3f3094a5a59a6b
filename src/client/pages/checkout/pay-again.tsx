import { useAtom, useSetAtom } from 'jotai'
import { useRef } from 'react'
import type { PaymentState } from '#shared/contract/orders.ts'
import { formatKsh, kshOf } from '#shared/rules/format.ts'
import { localPhone, mpesaPhoneProblem } from '#shared/rules/payment.ts'
import { billingDraftAtom } from '../../state/billing.ts'
import { chosenWayAtom, payAgainAtom } from '../../state/payment.ts'
import { FormError, SubmitButton } from '../../ui/form-status.tsx'
import { useForm } from '../../ui/use-form.ts'
import type { CardHandle } from './card-fields.tsx'
import { chosenPayment, PayWith } from './pay-with.tsx'

/** Pays an order that is there already: the same way once more, or another. */
export function PayAgain({ payment }: { payment: PaymentState }) {
  const { number, ways, provider, phone, totalCents } = payment
  const [chosen, choose] = useAtom(chosenWayAtom)
  const pay = useSetAtom(payAgainAtom)
  const way = ways.find((name) => name === (chosen ?? provider)) ?? ways[0]
  const card = useRef<CardHandle>(null)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: ['mpesaPhone'] as const,
    draft: billingDraftAtom,
    initial: { mpesaPhone: localPhone(phone ?? '') },
    validateField: (_field, value) => (way === 'mpesa' ? mpesaPhoneProblem(value) : undefined),
    part: card,
    async send({ mpesaPhone }) {
      const chosenNow = way && (await chosenPayment(way, mpesaPhone, card.current))
      const failure = chosenNow && (await pay(number, chosenNow))
      if (!failure) return undefined
      return Object.keys(failure.fieldErrors).length > 0 ? failure.fieldErrors : failure.message
    },
  })
  if (!way) return null
  return (
    <form {...formProps} className="stack payment__form">
      <PayWith
        ways={ways}
        way={way}
        onChoose={choose}
        card={card}
        mpesaPhone={fieldProps('mpesaPhone')}
        isBusy={submitProps.isBusy}
      />
      <FormError state={state} />
      <SubmitButton
        {...submitProps}
        label={`Pay ${formatKsh(kshOf(totalCents))}`}
        busyLabel="Processing..."
      />
    </form>
  )
}
