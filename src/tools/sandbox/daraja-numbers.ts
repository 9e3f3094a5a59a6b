/** What M-Pesa's result codes say, in Safaricom's words. */
export const RESULTS = {
  0: 'The service request is processed successfully.',
  1: 'The balance is insufficient for the transaction.',
  17: 'The same amount was paid by this customer within the last two minutes.',
  1032: 'Request cancelled by user.',
  1037: 'DS timeout user cannot be reached.',
  2001: 'The initiator information is invalid.',
} as const
export type ResultCode = keyof typeof RESULTS

/** What the owner of a phone does when prompted, and what the shop is told of it. */
export type Behaviour = {
  /** What is printed, and is in the README. */
  description: string
  /** The prompt is not even sent. */
  refusal?: { errorCode: string; errorMessage: string }
  result: ResultCode
  /** When the result is there; a query says "being processed" until then. */
  after: 'answer' | 'timeout' | 'late'
  /** How often the shop is called back. */
  callbacks: 0 | 1 | 2
  /** What the callback claims, where that is not the truth. */
  claim?: ResultCode
  /** The callback comes before the acknowledgement of the prompt. */
  isEarly?: true
  /** The first request to give the money back is refused. */
  refusesFirstReversal?: true
}

const pays: Behaviour = { description: 'pays', result: 0, after: 'answer', callbacks: 1 }

/** Test numbers, like test cards, by their last three digits after 0700 000; every other number pays. */
const BEHAVIOURS: Record<string, Behaviour> = {
  '001': pays,
  '002': { ...pays, description: 'has no funds', result: 1 },
  '003': { ...pays, description: 'cancels', result: 1032 },
  '004': { ...pays, description: 'types a wrong PIN', result: 2001 },
  '005': { ...pays, description: 'never answers', result: 1037, after: 'timeout', callbacks: 0 },
  '006': { ...pays, description: 'pays, and M-Pesa calls back twice', callbacks: 2 },
  '007': { ...pays, description: 'pays after the order has expired', after: 'late' },
  '008': { ...pays, description: 'cancels, but the callback says paid', result: 1032, claim: 0 },
  '009': { ...pays, description: 'is switched off', result: 1037 },
  '010': { ...pays, description: 'pays, and M-Pesa never calls back', callbacks: 0 },
  '011': {
    ...pays,
    description: 'is told that M-Pesa is busy',
    refusal: { errorCode: '500.003.02', errorMessage: 'System is busy. Please try again in few minutes.' },
  },
  '012': {
    ...pays,
    description: 'is in the middle of another payment',
    refusal: {
      errorCode: '500.001.1001',
      errorMessage:
        'Unable to lock subscriber, a transaction is already in process for the current subscriber',
    },
  },
  '013': { ...pays, description: 'pays before M-Pesa has acknowledged the prompt', isEarly: true },
  '014': {
    ...pays,
    description: 'pays, and M-Pesa is busy when the money is first to be given back',
    refusesFirstReversal: true,
  },
}

/** The behaviour of a phone, given as 254XXXXXXXXX. */
export function behaviourOf(phone: string): Behaviour {
  const [, last = ''] = /^254700000(\d{3})$/.exec(phone) ?? []
  return BEHAVIOURS[last] ?? pays
}
