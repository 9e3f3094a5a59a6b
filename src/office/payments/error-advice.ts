import {
  MISSING_INITIATOR_ERROR,
  MISSING_PAYOUT_SHORTCODE_ERROR,
} from '#server/payments/providers/mpesa/settings.ts'

type Advice = {
  pattern: RegExp
  text: string
  /** For payments, the provider uses the same codes for other errors. */
  isForRefunds?: true
  isTemporary?: true
  /** Follows `text` and the sentence about retries. */
  hint?: string
}

const RETRIES_SENTENCE = ' The shop will try again automatically.'

const ADVICE: readonly Advice[] = [
  {
    pattern: /^1 |insufficient|not enough balance/i,
    text: 'There wasn’t enough money in your account with the payment provider. Top it up, then retry the refund.',
    isForRefunds: true,
  },
  {
    pattern: /^R000001/,
    text: 'M-Pesa has already reversed this payment. Mark it as refunded.',
    isForRefunds: true,
  },
  {
    pattern: /^R000002/,
    text: 'M-Pesa can’t find this payment. Check its receipt number in M-Pesa, then refund it manually.',
    isForRefunds: true,
  },
  {
    pattern: /^(2001|8006|500\.001\.1001) /,
    text: 'M-Pesa didn’t accept the shop’s initiator name or password. Check MPESA_INITIATOR and its credential, then retry.',
    isForRefunds: true,
  },
  {
    pattern: /^21 /,
    text: 'The shop’s initiator isn’t allowed to do this. Give it the required role in M-Pesa’s portal, then retry.',
    isForRefunds: true,
  },
  {
    pattern: /^(404\.001\.03|no_token|400\.008)/,
    text: 'M-Pesa didn’t accept the shop’s credentials.',
    isTemporary: true,
    hint: ' If this keeps happening, check MPESA_CONSUMER_KEY and its secret.',
  },
  {
    pattern: /^400\.002/,
    text: 'M-Pesa rejected this request. Make the payment or refund manually in M-Pesa and tell your developer.',
  },
  { pattern: /^(500\.003|26 )/, text: 'M-Pesa was too busy.', isTemporary: true },
  { pattern: /^17 /, text: 'M-Pesa was too busy.', isTemporary: true, isForRefunds: true },
  {
    pattern: /^(TimeoutError|AbortError|TypeError|Unexpected response|gateway_rejected)/,
    text: 'The payment provider didn’t respond properly.',
    isTemporary: true,
    hint: ' If this keeps happening, check the provider’s status page.',
  },
]

/** The keys are exact error texts, which failed refunds store. If a text changes, keep the old one as a key too. */
const SETUP_ADVICE: ReadonlyMap<string, string> = new Map([
  [
    MISSING_INITIATOR_ERROR,
    'The shop can’t reverse M-Pesa payments yet, because MPESA_INITIATOR isn’t set. Refund this payment manually in M-Pesa.',
  ],
  [
    MISSING_PAYOUT_SHORTCODE_ERROR,
    'M-Pesa reverses whole payments only, and paying out part of one isn’t set up. Send the money manually in M-Pesa.',
  ],
])

const ERROR_CODE_PATTERN = /^([\w.-]+) (.+)$/

type ErrorContext = {
  isRefund: boolean
  /** True if the shop retries by itself and nothing else on the page says so. */
  isRetried: boolean
}

export function describePaymentError(error: string, { isRefund, isRetried }: ErrorContext): string {
  const setupAdvice = SETUP_ADVICE.get(error)
  if (setupAdvice) return setupAdvice
  const advice = ADVICE.find(
    ({ pattern, isForRefunds }) => (isRefund || !isForRefunds) && pattern.test(error),
  )
  const [, code = '', message = ''] = ERROR_CODE_PATTERN.exec(error) ?? []
  const hasCode = /\d/.test(code)
  if (advice) {
    const { text, isTemporary, hint = '' } = advice
    const retries = isRetried && isTemporary ? RETRIES_SENTENCE : ''
    return `${text}${retries}${hint}${hasCode ? ` (Code ${code})` : ''}`
  }
  return hasCode ? `The payment provider refused this: ${message} (code ${code})` : error
}
