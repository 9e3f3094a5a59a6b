import * as z from 'zod/mini'
import type { IncomingPayment, IncomingPaymentSource } from '#server/payments/providers/provider.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'
import type { createDarajaClient } from './daraja.ts'
import type { DarajaResult } from './daraja-call.ts'
import type { DarajaSettings } from './settings.ts'

const MAX_TEXT_CHARACTERS = 80
const MAX_PAGES = 20
const MAX_AMOUNT_KSH = 10_000_000

const shortTextSchema = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) =>
    String(value)
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, MAX_TEXT_CHARACTERS),
  ),
)
const optionalTextSchema = z.catch(z.nullish(shortTextSchema), null)
const receiptSchema = z.string().check(z.regex(/^[A-Z0-9]{6,20}$/))
const amountCentsSchema = z.pipe(
  z.union([z.number(), z.pipe(z.string().check(z.regex(/^\d{1,9}(\.\d{1,2})?$/)), z.transform(Number))]),
  z.pipe(
    z.transform((amountKsh: number) => Math.round(amountKsh * CENTS_PER_KSH)),
    z.int().check(z.minimum(1), z.maximum(MAX_AMOUNT_KSH * CENTS_PER_KSH)),
  ),
)

const confirmationSchema = z.object({
  TransID: receiptSchema,
  TransTime: z.string().check(z.regex(/^20\d{12}$/)),
  TransAmount: amountCentsSchema,
  BusinessShortCode: shortTextSchema,
  BillRefNumber: optionalTextSchema,
  MSISDN: optionalTextSchema,
  FirstName: optionalTextSchema,
})

const pulledPaymentSchema = z.object({
  transactionId: receiptSchema,
  trxDate: z.string().check(z.regex(/^20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d/)),
  amount: amountCentsSchema,
  billreference: optionalTextSchema,
  msisdn: optionalTextSchema,
  sender: optionalTextSchema,
})

type Daraja = Pick<ReturnType<typeof createDarajaClient>, 'registerUrls' | 'registerPull' | 'pull'>

/** Uses Daraja's C2B and Pull Transactions APIs. */
export function createMpesaPaymentSource(
  { shortcode, till, nominatedNumber }: DarajaSettings,
  daraja: Daraja,
): IncomingPaymentSource {
  return {
    instructions: ({ number, amount }) =>
      till
        ? `To pay from your M-Pesa menu, choose Buy Goods and enter till number ${till} and amount ${amount}. We’ll match your payment to order ${number}.`
        : `To pay from your M-Pesa menu, choose Pay Bill and enter business number ${shortcode}, account number ${number} and amount ${amount}.`,

    async register(urls, token) {
      const registered = await daraja.registerUrls({ ...urls, token })
      if (registered.kind !== 'ok') return { ok: false, error: formatError(registered) }
      if (!nominatedNumber) return { ok: true, data: undefined }
      const listed = await daraja.registerPull(urls.confirmationUrl, nominatedNumber, token)
      return listed.kind === 'ok' ? { ok: true, data: undefined } : { ok: false, error: formatError(listed) }
    },

    parseConfirmation: (body) => parseConfirmation(body, { shortcode, till }),

    async list(period, token) {
      const payments: IncomingPayment[] = []
      let offset = 0
      for (let page = 0; page < MAX_PAGES; page++) {
        const result = await daraja.pull({ ...period, offset, token })
        if (result.kind !== 'ok') return { ok: false, error: formatError(result) }
        const rows = result.data.Response.flat()
        if (rows.length === 0) return { ok: true, data: payments }
        payments.push(...rows.flatMap(toIncomingPayments))
        offset += rows.length
      }
      return { ok: true, data: payments, isPartial: true }
    },
  }
}

export function parseConfirmation(
  body: unknown,
  { shortcode, till }: Pick<DarajaSettings, 'shortcode' | 'till'>,
): IncomingPayment | undefined {
  const { data } = confirmationSchema.safeParse(body)
  if (!data || ![shortcode, till].includes(data.BusinessShortCode)) return undefined
  const { TransTime: time, BillRefNumber, FirstName, MSISDN } = data
  const paidAtMs = parseEastAfricanTime(time.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6'))
  if (Number.isNaN(paidAtMs)) return undefined
  const payer = [FirstName, MSISDN].filter(Boolean).join(' ') || null
  return {
    receipt: data.TransID,
    amountCents: data.TransAmount,
    paidAtMs,
    account: BillRefNumber || null,
    payer,
  }
}

function toIncomingPayments(row: unknown): IncomingPayment[] {
  const { data } = pulledPaymentSchema.safeParse(row)
  const paidAtMs = data
    ? parseEastAfricanTime(data.trxDate.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replace(' ', 'T'))
    : Number.NaN
  if (!data || Number.isNaN(paidAtMs)) return []
  const payer = [data.sender, data.msisdn].filter(Boolean).join(' ').slice(0, MAX_TEXT_CHARACTERS) || null
  return [
    {
      receipt: data.transactionId,
      amountCents: data.amount,
      paidAtMs,
      account: data.billreference || null,
      payer,
    },
  ]
}

/** Daraja's times are in East Africa Time, even those that end in Z. */
function parseEastAfricanTime(local: string): number {
  return Date.parse(`${local}+03:00`)
}

function formatError(result: Exclude<DarajaResult<unknown>, { kind: 'ok' }>): string {
  return result.kind === 'rejected' ? `${result.code} ${result.message}` : result.error
}
