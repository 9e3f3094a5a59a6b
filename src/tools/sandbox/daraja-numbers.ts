export const RESULT_DESCRIPTIONS = {
  0: 'The service request is processed successfully.',
  1: 'The balance is insufficient for the transaction.',
  17: 'The same amount was paid by this customer within the last two minutes.',
  1032: 'Request cancelled by user.',
  1037: 'DS timeout user cannot be reached.',
  2001: 'The initiator information is invalid.',
} as const
export type ResultCode = keyof typeof RESULT_DESCRIPTIONS

export type Behaviour = {
  description: string
  refusal?: typeof BUSY_ERROR
  result: ResultCode
  /** The time at which the result is available. Until then, queries return "being processed". */
  after: 'answer' | 'timeout' | 'late'
  callbacks: 0 | 1 | 2
  /** The result that the callback reports, if it differs from the real one. */
  claim?: ResultCode
  isEarly?: true
  refusesFirstReversal?: true
  /** What goes wrong with payouts to this phone: the first fails, each times out, or none is reported. */
  payout?: 'failsFirst' | 'timesOut' | 'neverAnswers'
}

const PAYS: Behaviour = { description: 'pays', result: 0, after: 'answer', callbacks: 1 }

export const BUSY_ERROR = {
  errorCode: '500.003.02',
  errorMessage: 'System is busy. Please try again in few minutes.',
}
const LOCKED_ERROR = {
  errorCode: '500.001.1001',
  errorMessage: 'Unable to lock subscriber, a transaction is already in process for the current subscriber',
}

/** The behaviour of test numbers, by the three digits after 0700 000. Every other number pays. */
const BEHAVIOURS: Record<string, Behaviour> = {
  '001': PAYS,
  '002': { ...PAYS, description: 'has insufficient funds', result: 1 },
  '003': { ...PAYS, description: 'cancels', result: 1032 },
  '004': { ...PAYS, description: 'enters a wrong PIN', result: 2001 },
  '005': { ...PAYS, description: 'never responds', result: 1037, after: 'timeout', callbacks: 0 },
  '006': { ...PAYS, description: 'pays, and M-Pesa calls back twice', callbacks: 2 },
  '007': { ...PAYS, description: 'pays after the order has expired', after: 'late' },
  '008': { ...PAYS, description: 'cancels, but the callback says paid', result: 1032, claim: 0 },
  '009': { ...PAYS, description: 'is switched off', result: 1037 },
  '010': { ...PAYS, description: 'pays, but M-Pesa never calls back', callbacks: 0 },
  '011': { ...PAYS, description: 'is rejected because M-Pesa is busy', refusal: BUSY_ERROR },
  '012': { ...PAYS, description: 'has another payment in progress', refusal: LOCKED_ERROR },
  '013': { ...PAYS, description: 'pays, but M-Pesa calls back before it acknowledges', isEarly: true },
  '014': { ...PAYS, description: 'pays, but M-Pesa rejects the first refund', refusesFirstReversal: true },
  '015': { ...PAYS, description: 'pays, but M-Pesa’s first payout to it fails', payout: 'failsFirst' },
  '016': { ...PAYS, description: 'pays, but M-Pesa is too busy to pay out to it', payout: 'timesOut' },
  '017': { ...PAYS, description: 'pays, but M-Pesa never reports payouts to it', payout: 'neverAnswers' },
}

export function getBehaviour(phone: string): Behaviour {
  const [, last = ''] = /^254700000(\d{3})$/.exec(phone) ?? []
  return BEHAVIOURS[last] ?? PAYS
}
