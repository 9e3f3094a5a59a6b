import * as z from 'zod/mini'
import { post, type SandboxResponse } from './sandbox-server.ts'

const address = z.url({ protocol: /^https?$/ })
const registrationSchema = z.object({
  ShortCode: z.string(),
  ResponseType: z.enum(['Completed', 'Cancelled']),
  ConfirmationURL: address,
  ValidationURL: address,
})
const simulationSchema = z.object({
  Amount: z.number(),
  Msisdn: z.string(),
  BillRefNumber: z.optional(z.string()),
})
const day = z.string().check(z.regex(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/))
const pullSchema = z.object({ StartDate: day, EndDate: day, OffSetValue: z.string() })

type HandPayment = {
  amountKsh: number
  account?: string
  phone?: string
  confirmations?: number
  atMs?: number
}
type Taken = { receipt: string; account: string; phone: string; amountKsh: number; atMs: number }

const PULL_PAGE = 10
const time = (atMs: number) => new Date(atMs + 3 * 3_600_000).toISOString().slice(0, 19)
const ok = (code: string, more = {}): SandboxResponse => ({
  status: 200,
  json: { ResponseCode: code, ResponseDescription: 'Success', ResponseMessage: 'Success', ...more },
})

/** Daraja's C2B and Pull Transactions: what customers pay to the paybill by hand. */
export function c2bPayments(log: (line: string) => void) {
  let confirmationUrl: string | undefined
  const taken: Taken[] = []

  /** Resolves to the receipt once M-Pesa has announced the payment. */
  async function pay({
    account = '',
    phone = '254700000001',
    confirmations = 1,
    atMs = Date.now(),
    amountKsh,
  }: HandPayment) {
    const receipt = `SIMC${String(taken.length + 1).padStart(6, '0')}`
    taken.push({ receipt, account, phone, amountKsh, atMs })
    log(`M-Pesa received KSH ${amountKsh} by hand for account "${account}": ${receipt}`)
    for (let times = 0; confirmationUrl && times < confirmations; times++)
      await post(
        confirmationUrl,
        JSON.stringify({
          ...{ TransactionType: 'Pay Bill', TransID: receipt, TransTime: time(atMs).replace(/\D/g, '') },
          ...{ TransAmount: amountKsh.toFixed(2), BusinessShortCode: '174379', BillRefNumber: account },
          ...{ MSISDN: phone.replace(/^(.{5}).*(.{3})$/, '$1****$2'), FirstName: 'AMINA' },
        }),
      )
    return receipt
  }

  async function handle(path: string, body: unknown): Promise<SandboxResponse> {
    if (path.endsWith('/registerurl')) {
      const { ConfirmationURL } = registrationSchema.parse(body)
      if (/mpesa|safaricom|query|sql|cmd|exec/i.test(new URL(ConfirmationURL).pathname))
        return { status: 400, json: { errorCode: '400.003.02', errorMessage: 'Invalid ConfirmationURL' } }
      confirmationUrl = ConfirmationURL
      return ok('0')
    }
    if (path === '/pulltransactions/v1/register') return ok('1000')
    if (path.endsWith('/simulate')) {
      const { Amount: amountKsh, Msisdn: phone, BillRefNumber: account = '' } = simulationSchema.parse(body)
      await pay({ amountKsh, phone, account })
      return ok('0')
    }
    const { StartDate, EndDate, OffSetValue } = pullSchema.parse(body)
    const rows = taken
      .map(({ atMs, ...payment }) => ({ ...payment, at: time(atMs) }))
      .filter(({ at }) => at >= StartDate.replace(' ', 'T') && at <= EndDate.replace(' ', 'T'))
      .slice(Number(OffSetValue), Number(OffSetValue) + PULL_PAGE)
    const response = rows.map(({ receipt, account, phone, amountKsh, at }) => ({
      ...{ transactionId: receipt, trxDate: `${at}Z`, msisdn: Number(phone), sender: 'MPESA' },
      ...{ transactiontype: 'c2b-pay-bill-debit', billreference: account, amount: amountKsh.toFixed(2) },
    }))
    return ok('1000', { Response: [response] })
  }

  return { pay, handle, taken }
}
