import type { ProviderMessages } from '#server/payments/providers/provider.ts'
import { formatKsh } from '#shared/format.ts'
import { localPhone } from '#shared/payments/payment.ts'
import { PROVIDERS } from '#shared/payments/providers.ts'

/** Most prompts are answered by then; one that is not was probably not received. */
const PROMPT_USUAL_MS = 60_000

const { least, most } = PROVIDERS.mpesa.limitsKsh
const limits = `from ${formatKsh(least)} to ${formatKsh(most)}`

export const mpesaMessages: ProviderMessages = {
  problems: {
    no_funds:
      'The M-Pesa balance is too low for this order. Nothing was charged. Top up and try again, or pay another way.',
    wrong_pin: 'The M-Pesa PIN was not right. Nothing was charged. Please try again.',
    cancelled: 'The payment was cancelled on the phone. Nothing was charged.',
    unreachable:
      'The phone did not answer. Nothing was charged. Check that it is on and has a signal, then try again.',
    timed_out: 'The prompt on the phone was not answered in time. Nothing was charged. Please try again.',
    same_amount:
      'M-Pesa does not take the same amount from one phone twice within two minutes. Nothing was charged this time. Please wait two minutes and try again.',
    phone_busy:
      'M-Pesa is still busy with another payment of this phone. Nothing was charged. Please wait a minute and try again.',
    invalid_phone: 'M-Pesa does not know this phone number. Nothing was charged. Please check the number.',
    amount_limit: `M-Pesa takes payments ${limits}. Nothing was charged. Please pay another way.`,
    provider_busy: 'M-Pesa cannot take payments just now. Nothing was charged. Please try again in a minute.',
    declined: 'M-Pesa did not accept the payment. Nothing was charged. Please try again, or pay another way.',
  },
  waiting({ amount, phone, isUnknown, ageMs }) {
    const number = localPhone(phone ?? '')
    if (isUnknown)
      return `M-Pesa has not confirmed the prompt to ${number}. If it appears, enter your PIN to pay ${amount}. Otherwise send it again, or pay another way.`
    const instruction = `Check your phone ${number} and enter your M-Pesa PIN to pay ${amount}.`
    return ageMs < PROMPT_USUAL_MS
      ? instruction
      : `${instruction} If no prompt has come, send it again, or pay another way.`
  },
}
