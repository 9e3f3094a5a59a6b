import * as z from 'zod/mini'
import { c2bPayments } from './daraja-c2b.ts'
import { type Behaviour, getBehaviour, RESULTS, type ResultCode } from './daraja-numbers.ts'
import {
  openSandboxServer,
  post,
  type SandboxOptions,
  type SandboxRequest,
  type SandboxResponse,
} from './sandbox-server.ts'

/** The only credentials the sandbox accepts. */
export const DARAJA_MERCHANT = {
  consumerKey: 'sandbox-key',
  consumerSecret: 'sandbox-secret',
  shortcode: '174379',
  passkey: 'sandbox-passkey',
  initiator: 'sandbox-initiator',
  securityCredential: 'c2FuZGJveA==',
  disbursementShortcode: '600999',
} as const

export type DarajaDelays = {
  answerMs: number
  timeoutMs: number
  /** When a late payer pays; longer than any order waits. */
  lateMs: number
}
const DELAYS: DarajaDelays = { answerMs: 4000, timeoutMs: 60_000, lateMs: 35 * 60_000 }

export type DarajaPayment = {
  receipt: string
  phone: string
  amountKsh: number
  accountReference: string
  isReversed: boolean
  reversals: number
}

export type DarajaPayout = { id: string; phone: string; amountKsh: number; isPaid: boolean }

type Prompt = { phone: string; amountKsh: number; callbackUrl: string; result?: ResultCode; receipt?: string }

const TOKEN_SECONDS = 3599
const SAME_AMOUNT_MS = 120_000
const FORBIDDEN_IN_CALLBACK = /mpesa|safaricom|query|sql|cmd|exec/i

const pushSchema = z.object({
  BusinessShortCode: z.literal(DARAJA_MERCHANT.shortcode),
  Password: z.string(),
  Timestamp: z.string().check(z.regex(/^20\d{12}$/)),
  TransactionType: z.enum(['CustomerPayBillOnline', 'CustomerBuyGoodsOnline']),
  Amount: z.int().check(z.minimum(1), z.maximum(250_000)),
  PartyA: z.string().check(z.regex(/^254[17]\d{8}$/)),
  PartyB: z.string().check(z.regex(/^\d{5,7}$/)),
  PhoneNumber: z.string().check(z.regex(/^254[17]\d{8}$/)),
  CallBackURL: z.url({ protocol: /^https?$/ }),
  AccountReference: z.string().check(z.minLength(1), z.maxLength(12)),
  TransactionDesc: z.string().check(z.minLength(1), z.maxLength(13)),
})
const querySchema = z.object({ Password: z.string(), Timestamp: z.string(), CheckoutRequestID: z.string() })
const reversalSchema = z.object({
  Initiator: z.literal(DARAJA_MERCHANT.initiator),
  SecurityCredential: z.literal(DARAJA_MERCHANT.securityCredential),
  CommandID: z.literal('TransactionReversal'),
  TransactionID: z.string(),
  Amount: z.int(),
  ReceiverParty: z.string(),
  RecieverIdentifierType: z.literal('11'),
  ResultURL: z.url({ protocol: /^https?$/ }),
  QueueTimeOutURL: z.url({ protocol: /^https?$/ }),
  Remarks: z.string().check(z.minLength(2), z.maxLength(100)),
})

const payoutSchema = z.object({
  OriginatorConversationID: z.string().check(z.minLength(1), z.maxLength(60)),
  InitiatorName: z.literal(DARAJA_MERCHANT.initiator),
  SecurityCredential: z.literal(DARAJA_MERCHANT.securityCredential),
  CommandID: z.literal('BusinessPayment'),
  Amount: z.int().check(z.minimum(10), z.maximum(250_000)),
  PartyA: z.literal(DARAJA_MERCHANT.disbursementShortcode),
  PartyB: z.string().check(z.regex(/^254[17]\d{8}$/)),
  Remarks: z.string().check(z.minLength(2), z.maxLength(100)),
  QueueTimeOutURL: z.url({ protocol: /^https?$/ }),
  ResultURL: z.url({ protocol: /^https?$/ }),
})

/**
 * A local sandbox of Safaricom's Daraja: access tokens, M-Pesa Express, queries and reversals, with test
 * phone numbers (daraja-numbers.ts). Never part of the Worker.
 */
export async function openDaraja({
  delays = {},
  log = () => {},
  behaviour: findBehaviour = getBehaviour,
  ...options
}: SandboxOptions & { delays?: Partial<DarajaDelays>; behaviour?: (phone: string) => Behaviour } = {}) {
  const { answerMs, timeoutMs, lateMs } = { ...DELAYS, ...delays }
  const afterMs = { answer: answerMs, timeout: timeoutMs, late: lateMs }
  const prompts = new Map<string, Prompt>()
  const payments: DarajaPayment[] = []
  const payouts: DarajaPayout[] = []
  const lastPaid = new Map<string, number>()
  const late: (() => Promise<void>)[] = []
  let token = ''
  let serial = 0
  const server = await openSandboxServer(handleRequest, options)
  const byHand = c2bPayments(log)

  function handleRequest(request: SandboxRequest): SandboxResponse | Promise<SandboxResponse> {
    const [path] = request.path.split('?')
    if (path === '/oauth/v1/generate') return issueToken(request)
    if (request.authorization !== `Bearer ${token}` || !token)
      return errorResponse(404, '404.001.03', 'Invalid Access Token')
    const body = JSON.parse(request.text)
    if (path === '/mpesa/stkpush/v1/processrequest') return push(body)
    if (path === '/mpesa/stkpushquery/v1/query') return query(body)
    if (path === '/mpesa/reversal/v1/request') return reverse(body)
    if (path === '/mpesa/b2c/v3/paymentrequest') return payOut(body)
    if (path?.startsWith('/mpesa/c2b/') || path?.startsWith('/pulltransactions/'))
      return byHand.handle(path, body)
    return errorResponse(404, '404.001.01', 'Resource not found')
  }

  function issueToken({ authorization }: SandboxRequest): SandboxResponse {
    const { consumerKey, consumerSecret } = DARAJA_MERCHANT
    if (authorization !== `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`)
      return errorResponse(400, '400.008.01', 'Invalid Authentication passed')
    serial += 1
    token = `sandbox-token-${serial}`
    return { status: 200, json: { access_token: token, expires_in: String(TOKEN_SECONDS) } }
  }

  async function push(body: unknown): Promise<SandboxResponse> {
    const parsed = pushSchema.safeParse(body)
    if (!parsed.success) {
      const field = parsed.error.issues[0]?.path.join('.') || 'request'
      return errorResponse(400, '400.002.02', `Bad Request - Invalid ${field}`)
    }
    const { Amount: amountKsh, PhoneNumber: phone, CallBackURL: callbackUrl, ...rest } = parsed.data
    if (!hasValidPassword(rest)) return errorResponse(500, '500.001.1001', 'Wrong credentials')
    if (FORBIDDEN_IN_CALLBACK.test(new URL(callbackUrl).pathname))
      return errorResponse(400, '400.002.02', 'Bad Request - Invalid CallBackURL')
    const behaviour = findBehaviour(phone)
    log(
      `M-Pesa prompts ${phone} to pay KSH ${amountKsh} for order ${rest.AccountReference}. This phone ${behaviour.description}.`,
    )
    if (behaviour.refusal)
      return errorResponse(500, behaviour.refusal.errorCode, behaviour.refusal.errorMessage)
    serial += 1
    const id = `ws_CO_${serial}_${crypto.randomUUID()}`
    const prompt: Prompt = { phone, amountKsh, callbackUrl }
    prompts.set(id, prompt)
    const complete = () => completePrompt(id, prompt, behaviour, rest.AccountReference)
    if (behaviour.isEarly) await complete()
    else {
      const cancel = server.after(afterMs[behaviour.after], complete)
      if (behaviour.after === 'late')
        late.push(() => {
          cancel()
          return complete()
        })
    }
    return {
      status: 200,
      json: {
        MerchantRequestID: `sandbox-${serial}`,
        CheckoutRequestID: id,
        ResponseCode: '0',
        ResponseDescription: 'Success. Request accepted for processing',
        CustomerMessage: 'Success. Request accepted for processing',
      },
    }
  }

  async function completePrompt(id: string, prompt: Prompt, behaviour: Behaviour, accountReference: string) {
    if (prompt.result !== undefined) return
    const { phone, amountKsh } = prompt
    const sale = `${phone} ${amountKsh}`
    const isRepeated = Date.now() - (lastPaid.get(sale) ?? 0) < SAME_AMOUNT_MS
    prompt.result = behaviour.result === 0 && isRepeated ? 17 : behaviour.result
    if (prompt.result === 0) {
      prompt.receipt = `SIM${String(payments.length + 1).padStart(7, '0')}`
      lastPaid.set(sale, Date.now())
      byHand.taken.push({
        receipt: prompt.receipt,
        account: accountReference,
        phone,
        amountKsh,
        atMs: Date.now(),
      })
      payments.push({
        receipt: prompt.receipt,
        phone,
        amountKsh,
        accountReference,
        isReversed: false,
        reversals: 0,
      })
    }
    log(`M-Pesa result for order ${accountReference}: ${prompt.result} ${RESULTS[prompt.result]}`)
    for (let times = 0; times < behaviour.callbacks; times++) {
      const isAccepted = await post(
        prompt.callbackUrl,
        JSON.stringify(callbackBody(id, prompt, behaviour.claim ?? prompt.result)),
      )
      if (!isAccepted) log(`The shop rejected the callback for order ${accountReference}.`)
    }
  }

  function query(body: unknown): SandboxResponse {
    const parsed = querySchema.safeParse(body)
    const prompt = parsed.success ? prompts.get(parsed.data.CheckoutRequestID) : undefined
    if (!parsed.success || !hasValidPassword(parsed.data) || !prompt)
      return errorResponse(400, '400.002.02', 'Bad Request - Invalid CheckoutRequestID')
    if (prompt.result === undefined)
      return errorResponse(500, '500.001.1001', 'The transaction is being processed')
    return {
      status: 200,
      json: {
        ResponseCode: '0',
        ResponseDescription: 'The service request has been accepted successsfully',
        MerchantRequestID: 'sandbox',
        CheckoutRequestID: parsed.data.CheckoutRequestID,
        ResultCode: String(prompt.result),
        ResultDesc: RESULTS[prompt.result],
      },
    }
  }

  function reverse(body: unknown): SandboxResponse {
    const parsed = reversalSchema.safeParse(body)
    if (!parsed.success) return errorResponse(400, '400.002.02', 'Bad Request - Invalid reversal')
    const { TransactionID, Amount, ResultURL } = parsed.data
    const payment = payments.find(({ receipt }) => receipt === TransactionID)
    if (payment) payment.reversals += 1
    if (payment?.reversals === 1 && findBehaviour(payment.phone).refusesFirstReversal)
      return errorResponse(500, '500.003.02', 'System is busy. Please try again in few minutes.')
    const isWhole = payment?.amountKsh === Amount
    const code = payment && isWhole ? (payment.isReversed ? 'R000001' : '0') : 'R000002'
    if (payment && isWhole) payment.isReversed = true
    log(`M-Pesa refund of KSH ${Amount} for ${TransactionID}: result ${code}`)
    const result = { ResultType: 0, ResultCode: code, ResultDesc: code, TransactionID }
    server.after(answerMs, async () => void (await post(ResultURL, JSON.stringify({ Result: result }))))
    return {
      status: 200,
      json: {
        OriginatorConversationID: 'sandbox',
        ConversationID: 'sandbox',
        ResponseCode: '0',
        ResponseDescription: 'Accept the service request successfully.',
      },
    }
  }

  function payOut(body: unknown): SandboxResponse {
    const parsed = payoutSchema.safeParse(body)
    if (!parsed.success) return errorResponse(400, '400.002.02', 'Bad Request - Invalid payout')
    const { OriginatorConversationID: id, PartyB: phone, Amount: amountKsh, ...urls } = parsed.data
    if (payouts.some((payout) => payout.id === id))
      return errorResponse(500, '500.002.1001', 'Duplicate OriginatorConversationID.')
    const { payout: problem } = findBehaviour(phone)
    const isFailed = problem === 'failsFirst' && !payouts.some((payout) => payout.phone === phone)
    const payout = { id, phone, amountKsh, isPaid: !isFailed && problem !== 'timesOut' }
    payouts.push(payout)
    log(`M-Pesa pays KSH ${amountKsh} to ${phone}: ${payout.isPaid ? 'paid' : (problem ?? '')}`)
    const parameters = {
      ResultParameter: [
        { Key: 'TransactionAmount', Value: amountKsh },
        { Key: 'TransactionReceipt', Value: `SIMOUT${payouts.length}` },
      ],
    }
    const result = payout.isPaid
      ? { ResultCode: 0, ResultDesc: 'The service request is processed successfully.' }
      : { ResultCode: 1, ResultDesc: 'The balance is insufficient for the transaction.' }
    const report =
      problem === 'timesOut'
        ? {
            url: urls.QueueTimeOutURL,
            body: { Result: { ResultType: 1, ResultCode: 1037, ResultDesc: 'Timeout' } },
          }
        : {
            url: urls.ResultURL,
            body: {
              Result: {
                ...{ ResultType: 0, ...result, OriginatorConversationID: id },
                ...(payout.isPaid ? { ResultParameters: parameters } : {}),
              },
            },
          }
    if (problem !== 'neverAnswers')
      server.after(answerMs, async () => void (await post(report.url, JSON.stringify(report.body))))
    return {
      status: 200,
      json: {
        ConversationID: `AG_${payouts.length}`,
        OriginatorConversationID: id,
        ResponseCode: '0',
        ResponseDescription: 'Accept the service request successfully.',
      },
    }
  }

  return {
    url: server.url,
    payments: payments as readonly DarajaPayment[],
    payouts: payouts as readonly DarajaPayout[],
    byHand,
    async payLate() {
      await Promise.all(late.splice(0).map((complete) => complete()))
    },
    /** Invalidates the access token, as another client with the same keys would. */
    endToken() {
      token = ''
    },
    idle: server.idle,
    fail: server.fail,
    close: server.close,
  }
}

function hasValidPassword({ Password, Timestamp }: { Password: string; Timestamp: string }): boolean {
  return Password === btoa(`${DARAJA_MERCHANT.shortcode}${DARAJA_MERCHANT.passkey}${Timestamp}`)
}

function errorResponse(status: number, errorCode: string, errorMessage: string): SandboxResponse {
  return { status, json: { requestId: crypto.randomUUID(), errorCode, errorMessage } }
}

function callbackBody(id: string, { phone, amountKsh, receipt }: Prompt, code: ResultCode) {
  const items = [
    { Name: 'Amount', Value: amountKsh },
    { Name: 'MpesaReceiptNumber', Value: receipt ?? 'SIM0FORGED' },
    { Name: 'TransactionDate', Value: 20261122090507 },
    { Name: 'PhoneNumber', Value: Number(phone) },
  ]
  return {
    Body: {
      stkCallback: {
        MerchantRequestID: 'sandbox',
        CheckoutRequestID: id,
        ResultCode: code,
        ResultDesc: RESULTS[code],
        ...(code === 0 && { CallbackMetadata: { Item: items } }),
      },
    },
  }
}
