import { Hono } from 'hono'
import type { z } from 'zod/mini'
import { createC2bSandbox } from './daraja-c2b.ts'
import {
  accept,
  DARAJA_MERCHANT,
  payoutRequestSchema,
  pushRequestSchema,
  queryRequestSchema,
  refuse,
  reversalRequestSchema,
  validateBody,
} from './daraja-messages.ts'
import {
  type Behaviour,
  BUSY_ERROR,
  getBehaviour,
  RESULT_DESCRIPTIONS,
  type ResultCode,
} from './daraja-numbers.ts'
import { createReceiptCode, openSandboxServer, postToShop, type SandboxOptions } from './sandbox-server.ts'

export type DarajaDelays = {
  answerMs: number
  timeoutMs: number
  /** Must be long enough for the order to expire before a late payer pays. */
  lateMs: number
}
const DELAYS: DarajaDelays = { answerMs: 4000, timeoutMs: 60_000, lateMs: 35 * 60_000 }

export type DarajaPayment = {
  receipt: string
  phone: string
  amountKsh: number
  accountReference: string
  paidAtMs: number
  isReversed: boolean
  reversals: number
}

export type DarajaPayout = { id: string; phone: string; amountKsh: number; isPaid: boolean }

type Prompt = Pick<DarajaPayment, 'phone' | 'amountKsh' | 'accountReference'> &
  Partial<Pick<DarajaPayment, 'receipt'>> & { id: string; callbackUrl: string; result?: ResultCode }

const SAME_AMOUNT_MS = 120_000

type DarajaOptions = SandboxOptions & {
  delays?: Partial<DarajaDelays>
  behaviour?: (phone: string) => Behaviour
}

/** A sandbox of Safaricom's Daraja. daraja-numbers.ts has the test phone numbers. */
export async function openDaraja(options: DarajaOptions = {}) {
  const { log = () => {}, behaviour: findBehaviour = getBehaviour } = options
  const delays = { ...DELAYS, ...options.delays }
  const prompts: Prompt[] = []
  const payments: DarajaPayment[] = []
  const payouts: DarajaPayout[] = []
  const late: (() => Promise<unknown>)[] = []
  let token = ''
  let tokens = 0
  const c2b = createC2bSandbox(log)
  const openedAtMs = Date.now()

  const app = new Hono()
    .get('/oauth/v1/generate', (c) => {
      const { consumerKey, consumerSecret } = DARAJA_MERCHANT
      if (c.req.header('Authorization') !== `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`)
        return refuse('400.008.01', 'Invalid Authentication passed')
      token = `sandbox-token-${++tokens}`
      return c.json({ access_token: token, expires_in: '3599' })
    })
    .use(async (c, next) => {
      if (!token || c.req.header('Authorization') !== `Bearer ${token}`)
        return refuse('404.001.03', 'Invalid Access Token')
      return next()
    })
    .post('/mpesa/stkpush/v1/processrequest', validateBody(pushRequestSchema), (c) =>
      push(c.req.valid('json')),
    )
    .post('/mpesa/stkpushquery/v1/query', validateBody(queryRequestSchema), (c) => query(c.req.valid('json')))
    .post('/mpesa/reversal/v1/request', validateBody(reversalRequestSchema), (c) =>
      reverse(c.req.valid('json')),
    )
    .post('/mpesa/b2c/v3/paymentrequest', validateBody(payoutRequestSchema), (c) =>
      payOut(c.req.valid('json')),
    )
    .route('/', c2b.app)
    .notFound(() => refuse('404.001.01', 'Resource not found'))
  const server = await openSandboxServer(app, options)

  async function push(request: z.infer<typeof pushRequestSchema>): Promise<Response> {
    const { Amount: amountKsh, PhoneNumber: phone, CallBackURL: callbackUrl } = request
    const { AccountReference: accountReference } = request
    if (!hasValidPassword(request)) return refuse('500.001.1001', 'Wrong credentials')
    const behaviour = findBehaviour(phone)
    log(
      `M-Pesa prompts ${phone} to pay KSH ${amountKsh} for order ${accountReference}. This phone ${behaviour.description}.`,
    )
    if (behaviour.refusal) return refuse(behaviour.refusal.errorCode, behaviour.refusal.errorMessage)
    const id = `ws_CO_${prompts.length}_${crypto.randomUUID()}`
    const prompt: Prompt = { id, phone, amountKsh, callbackUrl, accountReference }
    prompts.push(prompt)
    const complete = () => completePrompt(prompt, behaviour)
    if (behaviour.isEarly) await complete()
    else {
      const completeNow = server.after(delays[`${behaviour.after}Ms`], complete)
      if (behaviour.after === 'late') late.push(completeNow)
    }
    return accept({ MerchantRequestID: `sandbox-${prompts.length}`, CheckoutRequestID: id })
  }

  async function completePrompt(prompt: Prompt, behaviour: Behaviour) {
    if (prompt.result !== undefined) return
    const { phone, amountKsh, accountReference, callbackUrl } = prompt
    const paidAtMs = Date.now()
    const isRepeated = payments.some(
      (paid) =>
        paid.phone === phone && paid.amountKsh === amountKsh && paidAtMs - paid.paidAtMs < SAME_AMOUNT_MS,
    )
    prompt.result = behaviour.result === 0 && isRepeated ? 17 : behaviour.result
    if (prompt.result === 0) {
      const receipt = `SIM${createReceiptCode(openedAtMs + payments.length, 7)}`
      prompt.receipt = receipt
      const paid = { receipt, phone, amountKsh }
      c2b.payments.push({ ...paid, account: accountReference, atMs: paidAtMs })
      payments.push({ ...paid, accountReference, paidAtMs, isReversed: false, reversals: 0 })
    }
    log(`M-Pesa result for order ${accountReference}: ${prompt.result} ${RESULT_DESCRIPTIONS[prompt.result]}`)
    const body = createCallbackBody(prompt, behaviour.claim ?? prompt.result)
    for (let times = 0; times < behaviour.callbacks; times++) {
      const isAccepted = await postToShop(callbackUrl, body)
      if (!isAccepted) log(`The shop rejected the callback for order ${accountReference}.`)
    }
  }

  function query({ CheckoutRequestID, ...password }: z.infer<typeof queryRequestSchema>): Response {
    const prompt = prompts.find(({ id }) => id === CheckoutRequestID)
    if (!prompt || !hasValidPassword(password))
      return refuse('400.002.02', 'Bad Request - Invalid CheckoutRequestID')
    const { result } = prompt
    if (result === undefined) return refuse('500.001.1001', 'The transaction is being processed')
    return accept({ CheckoutRequestID, ResultCode: String(result), ResultDesc: RESULT_DESCRIPTIONS[result] })
  }

  function report(url: string, Result: object) {
    server.after(delays.answerMs, () => postToShop(url, { Result }))
  }

  function reverse({ TransactionID, Amount, ResultURL }: z.infer<typeof reversalRequestSchema>): Response {
    const payment = payments.find(({ receipt }) => receipt === TransactionID)
    if (payment) payment.reversals += 1
    if (payment?.reversals === 1 && findBehaviour(payment.phone).refusesFirstReversal)
      return refuse(BUSY_ERROR.errorCode, BUSY_ERROR.errorMessage)
    const isWhole = payment?.amountKsh === Amount
    const code = payment && isWhole ? (payment.isReversed ? 'R000001' : '0') : 'R000002'
    if (payment && isWhole) payment.isReversed = true
    log(`M-Pesa refund of KSH ${Amount} for ${TransactionID}: result ${code}`)
    report(ResultURL, { ResultType: 0, ResultCode: code, ResultDesc: code, TransactionID })
    return accept()
  }

  function payOut(request: z.infer<typeof payoutRequestSchema>): Response {
    const { OriginatorConversationID: id, PartyB: phone, Amount: amountKsh } = request
    if (payouts.some((payout) => payout.id === id))
      return refuse('500.002.1001', 'Duplicate OriginatorConversationID.')
    const { payout: problem } = findBehaviour(phone)
    const isFailed = problem === 'failsFirst' && !payouts.some((payout) => payout.phone === phone)
    const isPaid = !isFailed && problem !== 'timesOut'
    payouts.push({ id, phone, amountKsh, isPaid })
    const outcome = isPaid ? 'paid' : isFailed ? 'failed' : 'timed out'
    log(`M-Pesa payout of KSH ${amountKsh} to ${phone}: ${outcome}`)
    if (problem === 'timesOut') report(request.QueueTimeOutURL, { ResultType: 1, ...toResult(1037) })
    else if (isFailed)
      report(request.ResultURL, { ResultType: 0, ...toResult(1), OriginatorConversationID: id })
    else if (problem !== 'neverAnswers') {
      const receipt = { Key: 'TransactionReceipt', Value: `SIMOUT${payouts.length}` }
      const ResultParameters = { ResultParameter: [{ Key: 'TransactionAmount', Value: amountKsh }, receipt] }
      const paid = { ...toResult(0), OriginatorConversationID: id, ResultParameters }
      report(request.ResultURL, { ResultType: 0, ...paid })
    }
    return accept({ ConversationID: `AG_${payouts.length}`, OriginatorConversationID: id })
  }

  return {
    ...server,
    payments: payments as readonly DarajaPayment[],
    payouts: payouts as readonly DarajaPayout[],
    c2b,
    async payLate() {
      await Promise.all(late.splice(0).map((complete) => complete()))
    },
    /** Invalidates the access token, as another client with the same keys would do. */
    invalidateToken() {
      token = ''
    },
  }
}

function hasValidPassword({ Password, Timestamp }: { Password: string; Timestamp: string }): boolean {
  return Password === btoa(`${DARAJA_MERCHANT.shortcode}${DARAJA_MERCHANT.passkey}${Timestamp}`)
}

function toResult(code: ResultCode) {
  return { ResultCode: code, ResultDesc: RESULT_DESCRIPTIONS[code] }
}

function createCallbackBody({ id, phone, amountKsh, receipt = 'SIM0FORGED' }: Prompt, code: ResultCode) {
  const Item = [
    { Name: 'Amount', Value: amountKsh },
    { Name: 'MpesaReceiptNumber', Value: receipt },
    { Name: 'TransactionDate', Value: 20261122090507 },
    { Name: 'PhoneNumber', Value: Number(phone) },
  ]
  const stkCallback = { MerchantRequestID: 'sandbox', CheckoutRequestID: id, ...toResult(code) }
  return { Body: { stkCallback: { ...stkCallback, ...(code === 0 && { CallbackMetadata: { Item } }) } } }
}
