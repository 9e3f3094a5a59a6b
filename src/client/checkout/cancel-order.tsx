import { KeepButton } from '#client/ui/keep-button.tsx'
import { formatMoney } from '#shared/format.ts'
import type { Order } from '#shared/orders/contract.ts'
import { href } from '#shared/routes.ts'

type CancelOrderProps = {
  order: Pick<Order, 'number' | 'balance'>
  /** Without `onCancel`, the form is posted to the order's page. */
  onCancel?: () => void
  isBusy?: boolean
}

/**
 * The details element serves as the confirmation, because the form must work without JavaScript.
 */
export function CancelOrder({ order: { number, balance }, onCancel, isBusy }: CancelOrderProps) {
  const { paidCents, refundedCents, refundDueCents, dueCents } = balance
  const refundCents = paidCents - refundedCents - refundDueCents
  return (
    <details className="disclosure">
      <summary>Cancel this order</summary>
      <form
        method="post"
        action={href('order', { number })}
        className="panel stack"
        data-offline="the order wasn’t cancelled"
        onSubmit={(event) => {
          if (!onCancel) return
          event.preventDefault()
          onCancel()
        }}
      >
        <p>
          {refundCents > 0
            ? `We haven’t packed it yet. If you cancel now, we’ll refund ${formatMoney(refundCents)} to your original payment method. It may take a few days to reach you.`
            : dueCents > 0
              ? 'If you cancel now and a payment still arrives, we’ll refund it.'
              : 'We haven’t packed it yet.'}
        </p>
        <div className="order__buttons">
          <button type="submit" className="button button--danger" aria-disabled={isBusy}>
            Yes, cancel this order
          </button>
          <KeepButton label="Keep order" />
        </div>
      </form>
    </details>
  )
}
