import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS } from '../../../test/support/hostile.ts'
import { parseStatement } from './statement.ts'

const encodeText = (text: string) => new TextEncoder().encode(text)
const HEADING =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.'
const PREAMBLE = 'Organization Statement\nShort Code:,174379\nTime Period:,From 01-11-2026 To 30-11-2026\n'

describe('the M-Pesa statement parser', () => {
  it('starts at the heading row, includes withdrawals and skips failed payments', () => {
    const statement = parseStatement(
      encodeText(
        `${PREAMBLE}${HEADING}
SKL0000001,21-11-2026 09:05:07,21-11-2026 09:05:00,"Pay Bill from 25471****678, Acc. P-7K3M9Q",Completed,"1,250.00",,5000,TRUE,,25471****678 - AMINA,,P-7K3M9Q
SKL0000001,21-11-2026 09:05:07,,Pay merchant charge,Completed,,-12.50,4987.50,TRUE,,,,
SKL0000002,2026-11-21 10:00:00,,Pay Bill,Failed,99.00,,,,,,,
SKL0000003,2026-11-21 10:00:00,,Pay Bill,Completed,40,,,,,,,
SKL0000004,2026-11-21 11:00:00,,Reversal of SKL0000003,Completed,,-40.00,,,,25471****678 - AMINA,,
`,
      ),
      'mpesa',
    )
    const paidAtMs = Date.UTC(2026, 10, 21, 6, 5, 7)
    const first = { receipt: 'SKL0000001', amountCents: 125_000, paidAtMs, account: 'P-7K3M9Q' }
    expect(statement).toEqual({
      payments: [
        { ...first, payer: '25471****678 - AMINA' },
        {
          receipt: 'SKL0000003',
          amountCents: 4000,
          paidAtMs: Date.UTC(2026, 10, 21, 7),
          account: null,
          payer: null,
        },
      ],
      withdrawals: [
        {
          ...{ receipt: 'SKL0000001', amountCents: 1250, isFee: true, atMs: paidAtMs },
          ...{ details: 'Pay merchant charge', linkedReceipt: null },
        },
        {
          ...{ receipt: 'SKL0000004', amountCents: 4000, isFee: false, atMs: Date.UTC(2026, 10, 21, 8) },
          ...{ details: 'Reversal of SKL0000003, 25471****678 - AMINA', linkedReceipt: 'SKL0000003' },
        },
      ],
      period: { firstMs: paidAtMs, lastMs: Date.UTC(2026, 10, 21, 8) },
      ...{ skippedRowCount: 1, problems: [], unreadableRowCount: 0 },
    })
  })

  it('names the lines it can’t read', () => {
    const rows = [
      'SKL1,yesterday,,,Completed,1',
      'SKL0000002,21-11-2026 09:00:00,,,Completed,lots',
      ',21-11-2026 09:00,,,,5',
    ]
    expect(parseStatement(encodeText(`${PREAMBLE}${HEADING}\n${rows.join('\n')}`), 'mpesa')).toMatchObject({
      unreadableRowCount: 3,
      problems: [
        'Line 5: “yesterday” isn’t a date and time.',
        'Line 6: “lots” isn’t an amount.',
        'Line 7: The receipt number is missing or invalid.',
      ],
    })
  })

  it.each(['', 'not a statement', 'a,b\n1,2', '\0\0', 'PK\u0003\u0004', ...HOSTILE_TEXTS])(
    'explains what is wrong with the file %j',
    (text) => expect(parseStatement(encodeText(text), 'mpesa')).toEqual(expect.any(String)),
  )

  it('never throws, whatever the cells contain', () => {
    const cell = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string())
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 8 })), (rows) => {
        const text = rows
          .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))
          .join('\n')
        parseStatement(encodeText(`${HEADING}\n${text}`), 'mpesa')
      }),
    )
  })
})

describe('the Paystack statement parser', () => {
  it('reads a payment from Paystack’s columns', () => {
    const text =
      'Reference,Customer Name,Amount Paid,Status,Paid At\nref-1,Amina,99.5,success,2026-11-21T06:05:07.000Z\n'
    expect(parseStatement(encodeText(text), 'paystack')).toMatchObject({
      payments: [
        { receipt: 'ref-1', amountCents: 9950, paidAtMs: Date.UTC(2026, 10, 21, 6, 5, 7), payer: 'Amina' },
      ],
    })
  })

  it('includes payments that were refunded later, but no failed ones', () => {
    const rows = ['ref-2,2026-11-21 09:05:07,reversed,1160.00', 'ref-3,2026-11-21 09:05:07,failed,1160.00']
    const text = `Reference,Transaction Date,Status,Amount\n${rows.join('\n')}\n`
    expect(parseStatement(encodeText(text), 'paystack')).toMatchObject({
      payments: [{ receipt: 'ref-2', amountCents: 116_000 }],
      skippedRowCount: 1,
    })
  })

  it('reads no amounts in another currency', () => {
    const rows = [
      'ref-4,2026-11-21 09:05:07,success,20.00,USD',
      'ref-5,2026-11-21 09:05:07,success,1160.00,KES',
    ]
    const text = `Reference,Transaction Date,Status,Amount,Currency\n${rows.join('\n')}\n`
    expect(parseStatement(encodeText(text), 'paystack')).toMatchObject({
      payments: [{ receipt: 'ref-5', amountCents: 116_000 }],
      problems: ['Line 2: The currency is “USD”, not KSH.'],
    })
  })

  it('skips reversed refunds', () => {
    const text =
      'Refund ID,Transaction Reference,Refunded At,Status,Refund Amount\n90001,ref-2,2026-11-22,reversed,50\n'
    expect(parseStatement(encodeText(text), 'paystack')).toMatchObject({
      withdrawals: [],
      skippedRowCount: 1,
    })
  })
})
