import * as z from 'zod/mini'
import { type Behaviour, behaviourOf, RESULTS, type ResultCode } from './daraja-numbers.ts'
import {
  openSandboxServer,
  post,
  type SandboxOptions,
  type SandboxRequest,
  type SandboxResponse,
} from './sandbox-server.ts'

/** What the local shop is configured with; the sandbox knows no other merchant. */
export const DARAJA_MERCHANT = {
  consumerKey: 'sandbox-key',
  consumerSecret: 'sandbox-secret',
  shortcode: '174379',
  passkey: 'sandbox-passkey',
  initiator: 'sandbox-initiator',
  securityCredential: 'c2FuZGJveA==',
} as const

export type DarajaDelays = {
  /** How long a person takes with the prompt. */
  answerMs: number
  /** How long M-Pesa waits for a phone that does not answer. */
  timeoutMs: number
  /** When somebody pays who is later than any order waits. */
  lateMs: number
}
const DELAYS: DarajaDelays = { answerMs: 4000, timeoutMs: 60_000, lateMs: 35 * 60_000 }

/** Money that was taken from a phone. */
export type DarajaPayment = {
  receipt: string
  phone: string
  amountKsh: number
  /** The order's number. */
  accountReference: string
  isReversed: boolean
  /** How often it was to be given back. */
  reversals: number
}

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

/**
 * A sandbox of Safaricom's Daraja on loopback: token, M-Pesa Express, its query and reversals, as documented, with
 * phones that behave by their number (daraja-numbers.ts). Never part of the Worker.
 */
export async function openDaraja({
  delays = {},
  log = () => {},
  behaviour: behaves = behaviourOf,
  ...options
}: SandboxOptions & { delays?: Partial<DarajaDelays>; behaviour?: (phone: string) => Behaviour } = {}) {
  const { answerMs, timeoutMs, lateMs } = { ...DELAYS, ...delays }
  const afterMs = { answer: answerMs, timeout: timeoutMs, late: lateMs }
  const prompts = new Map<string, Prompt>()
  const payments: DarajaPayment[] = []
  const lastPaid = new Map<string, number>()
  const late: (() => Promise<void>)[] = []
  let token = ''
  let serial = 0
  const server = await openSandboxServer(answer, options)

  function answer(request: SandboxRequest): SandboxResponse | Promise<SandboxResponse> {
    const [path] = request.path.split('?')
    if (path === '/oauth/v1/generate') return issueToken(request)
    if (request.authorization !== `Bearer ${token}` || !token)
      return refused(404, '404.001.03', 'Invalid Access Token')
    const body = JSON.parse(request.text)
    if (path === '/mpesa/stkpush/v1/processrequest') return push(body)
    if (path === '/mpesa/stkpushquery/v1/query') return query(body)
    if (path === '/mpesa/reversal/v1/request') return reverse(body)
    return refused(404, '404.001.01', 'Resource not found')
  }

  function issueToken({ authorization }: SandboxRequest): SandboxResponse {
    const { consumerKey, consumerSecret } = DARAJA_MERCHANT
    if (authorization !== `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`)
      return refused(400, '400.008.01', 'Invalid Authentication passed')
    serial += 1
    token = `sandbox-token-${serial}`
    return { status: 200, json: { access_token: token, expires_in: String(TOKEN_SECONDS) } }
  }

  async function push(body: unknown): Promise<SandboxResponse> {
    const parsed = pushSchema.safeParse(body)
    if (!parsed.success) {
      const field = parsed.error.issues[0]?.path.join('.') || 'request'
      return refused(400, '400.002.02', `Bad Request - Invalid ${field}`)
    }
    const { Amount: amountKsh, PhoneNumber: phone, CallBackURL: callbackUrl, ...rest } = parsed.data
    if (!isSigned(rest)) return refused(500, '500.001.1001', 'Wrong credentials')
    if (FORBIDDEN_IN_CALLBACK.test(new URL(callbackUrl).pathname))
      return refused(400, '400.002.02', 'Bad Request - Invalid CallBackURL')
    const behaviour = behaves(phone)
    log(
      `M-Pesa asks ${phone} for KSH ${amountKsh}, order ${rest.AccountReference}. This phone ${behaviour.description}.`,
    )
    if (behaviour.refusal) return refused(500, behaviour.refusal.errorCode, behaviour.refusal.errorMessage)
    serial += 1
    const id = `ws_CO_${serial}_${crypto.randomUUID()}`
    const prompt: Prompt = { phone, amountKsh, callbackUrl }
    prompts.set(id, prompt)
    const come = () => comeToResult(id, prompt, behaviour, rest.AccountReference)
    if (behaviour.isEarly) await come()
    else {
      const cancel = server.after(afterMs[behaviour.after], come)
      if (behaviour.after === 'late')
        late.push(() => {
          cancel()
          return come()
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

  async function comeToResult(id: string, prompt: Prompt, behaviour: Behaviour, accountReference: string) {
    if (prompt.result !== undefined) return
    const { phone, amountKsh } = prompt
    const sale = `${phone} ${amountKsh}`
    const isRepeated = Date.now() - (lastPaid.get(sale) ?? 0) < SAME_AMOUNT_MS
    prompt.result = behaviour.result === 0 && isRepeated ? 17 : behaviour.result
    if (prompt.result === 0) {
      prompt.receipt = `SIM${String(payments.length + 1).padStart(7, '0')}`
      lastPaid.set(sale, Date.now())
      payments.push({
        receipt: prompt.receipt,
        phone,
        amountKsh,
        accountReference,
        isReversed: false,
        reversals: 0,
      })
    }
    log(`M-Pesa result of ${accountReference}: ${prompt.result} ${RESULTS[prompt.result]}`)
    for (let times = 0; times < behaviour.callbacks; times++) {
      const isTaken = await post(
        prompt.callbackUrl,
        JSON.stringify(callbackBody(id, prompt, behaviour.claim ?? prompt.result)),
      )
      if (!isTaken) log(`The shop did not take the callback of ${accountReference}.`)
    }
  }

  function query(body: unknown): SandboxResponse {
    const parsed = querySchema.safeParse(body)
    const prompt = parsed.success ? prompts.get(parsed.data.CheckoutRequestID) : undefined
    if (!parsed.success || !isSigned(parsed.data) || !prompt)
      return refused(400, '400.002.02', 'Bad Request - Invalid CheckoutRequestID')
    if (prompt.result === undefined) return refused(500, '500.001.1001', 'The transaction is being processed')
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
    if (!parsed.success) return refused(400, '400.002.02', 'Bad Request - Invalid reversal')
    const { TransactionID, Amount, ResultURL } = parsed.data
    const payment = payments.find(({ receipt }) => receipt === TransactionID)
    if (payment) payment.reversals += 1
    if (payment?.reversals === 1 && behaves(payment.phone).refusesFirstReversal)
      return refused(500, '500.003.02', 'System is busy. Please try again in few minutes.')
    const isWhole = payment?.amountKsh === Amount
    const code = payment && isWhole ? (payment.isReversed ? 'R000001' : '0') : 'R000002'
    if (payment && isWhole) payment.isReversed = true
    log(`M-Pesa gives back KSH ${Amount} of ${TransactionID}: ${code}`)
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

  return {
    url: server.url,
    /** All money taken so far, oldest first. */
    payments: payments as readonly DarajaPayment[],
    /** Whoever pays late does it now. */
    async payLate() {
      await Promise.all(late.splice(0).map((come) => come()))
    },
    /** Ends the access token, as another user of the same keys does. */
    endToken() {
      token = ''
    },
    idle: server.idle,
    fail: server.fail,
    close: server.close,
  }
}

function isSigned({ Password, Timestamp }: { Password: string; Timestamp: string }): boolean {
  return Password === btoa(`${DARAJA_MERCHANT.shortcode}${DARAJA_MERCHANT.passkey}${Timestamp}`)
}

function refused(status: number, errorCode: string, errorMessage: string): SandboxResponse {
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
