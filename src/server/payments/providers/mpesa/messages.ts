import type { ProviderMessages } from '#server/payments/providers/provider.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { formatUnbrokenPhone } from '#shared/payments/payment.ts'
import { PROVIDERS } from '#shared/payments/providers.ts'

/** If there is no result after this time, the phone probably never received the prompt. */
const USUAL_RESPONSE_MS = 60_000

const { min, max } = PROVIDERS.mpesa.limitsKsh
const limitsText = `from ${formatMoney(kshToCents(min))} to ${formatMoney(kshToCents(max))}`

export const mpesaMessages: ProviderMessages = {
  problems: {
    no_funds:
      'Your M-Pesa balance is too low for this order. You haven’t been charged. Top up and try again, or pay another way.',
    wrong_pin: 'That M-Pesa PIN was incorrect. You haven’t been charged. Please try again.',
    cancelled:
      'The payment was cancelled on your phone. You haven’t been charged. Please try again, or pay another way.',
    unreachable:
      'We couldn’t reach your phone. You haven’t been charged. Check that it’s on and has a signal, then try again.',
    timed_out: 'The prompt on your phone timed out. You haven’t been charged. Please try again.',
    same_amount:
      'M-Pesa doesn’t accept the same amount from the same phone twice within two minutes. You haven’t been charged for this attempt. Please wait two minutes and try again.',
    phone_busy:
      'M-Pesa is still processing another payment from this phone. You haven’t been charged. Please wait a minute and try again.',
    invalid_phone:
      'This number isn’t registered with M-Pesa. You haven’t been charged. Please check the number.',
    amount_limit: `M-Pesa accepts payments ${limitsText}. You haven’t been charged. Please pay another way.`,
    provider_busy:
      'M-Pesa can’t take payments right now. You haven’t been charged. Please try again in a minute.',
    declined: 'M-Pesa declined the payment. You haven’t been charged. Please try again, or pay another way.',
  },
  waiting({ amount, phone, isUnknown, ageMs }) {
    const number = formatUnbrokenPhone(phone ?? '')
    if (isUnknown)
      return `M-Pesa hasn’t confirmed the prompt to ${number}. If it appears, enter your PIN to pay ${amount}. Otherwise, resend it or pay another way.`
    const instruction = `We’ve sent a prompt to ${number}. Enter your M-Pesa PIN there to pay ${amount}.`
    return ageMs < USUAL_RESPONSE_MS
      ? instruction
      : `${instruction} If you haven’t received the prompt, resend it or pay another way.`
  },
}
