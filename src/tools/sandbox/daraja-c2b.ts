import { Hono } from 'hono'
import { accept, pullRequestSchema, registerRequestSchema, validateBody } from './daraja-messages.ts'
import { createReceiptCode, postToShop } from './sandbox-server.ts'

type C2bPayment = { receipt: string; account: string; phone: string; amountKsh: number; atMs: number }
type C2bPaymentInput = Partial<C2bPayment> & { amountKsh: number; confirmations?: number }

const PULL_PAGE = 10
const formatTime = (atMs: number) => new Date(atMs + 3 * 3_600_000).toISOString().slice(0, 19)

/** A sandbox of Daraja's C2B and Pull Transactions APIs, for payments from the M-Pesa menu. */
export function createC2bSandbox(log: (line: string) => void) {
  let confirmationUrl: string | undefined
  const payments: C2bPayment[] = []
  const openedAtMs = Date.now()

  /** Resolves to the receipt once the confirmations have been sent to the shop. */
  async function pay({ amountKsh, confirmations = 1, ...payment }: C2bPaymentInput) {
    const { account = '', phone = '254700000001', atMs = Date.now() } = payment
    const receipt = `SIMC${createReceiptCode(openedAtMs + payments.length, 6)}`
    payments.push({ receipt, account, phone, amountKsh, atMs })
    log(`M-Pesa menu payment of KSH ${amountKsh} for account "${account}": ${receipt}`)
    const confirmation = {
      ...{ TransactionType: 'Pay Bill', TransID: receipt, TransTime: formatTime(atMs).replace(/\D/g, '') },
      ...{ TransAmount: amountKsh.toFixed(2), BusinessShortCode: '174379', BillRefNumber: account },
      ...{ MSISDN: phone.replace(/^(.{5}).*(.{3})$/, '$1****$2'), FirstName: 'AMINA' },
    }
    for (let times = 0; confirmationUrl && times < confirmations; times++)
      await postToShop(confirmationUrl, confirmation)
    return receipt
  }

  const app = new Hono()
    .post('/mpesa/c2b/:version/registerurl', validateBody(registerRequestSchema), (c) => {
      confirmationUrl = c.req.valid('json').ConfirmationURL
      return accept()
    })
    .post('/pulltransactions/v1/register', () => accept({ ResponseCode: '1000' }))
    .post('/pulltransactions/v1/query', validateBody(pullRequestSchema), (c) => {
      const { StartDate, EndDate, OffSetValue } = c.req.valid('json')
      const page = payments
        .map(({ atMs, ...payment }) => ({ ...payment, at: formatTime(atMs) }))
        .filter(({ at }) => at >= StartDate.replace(' ', 'T') && at <= EndDate.replace(' ', 'T'))
        .slice(Number(OffSetValue), Number(OffSetValue) + PULL_PAGE)
        .map(({ receipt, account, phone, amountKsh, at }) => ({
          ...{ transactionId: receipt, trxDate: `${at}Z`, msisdn: Number(phone), sender: 'MPESA' },
          ...{ transactiontype: 'c2b-pay-bill-debit', billreference: account, amount: amountKsh.toFixed(2) },
        }))
      return accept({ ResponseCode: '1000', ResponseMessage: 'Success', Response: [page] })
    })

  return { app, pay, payments }
}
