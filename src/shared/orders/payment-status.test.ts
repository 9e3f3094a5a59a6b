import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RefundReason } from '#shared/payments/refunds.ts'
import {
  calculateOrderBalance,
  findPackingProblem,
  formatPaymentStatus,
  listPaymentLines,
} from './payment-status.ts'

type Refund = { amountCents: number; reason: RefundReason; state: 'due' | 'done' }
const refund = (amountCents: number, reason: RefundReason, state: Refund['state'] = 'done') => ({
  ...{ amountCents, reason, state },
})
const createPayments = (...amounts: number[]) =>
  amounts.map((amountCents) => ({ state: 'settled', amountCents }))
const placed = { status: 'placed', totalCents: 2000_00, creditedCents: 0 } as const
const cancelled = { status: 'cancelled', totalCents: 2000_00, creditedCents: 0 } as const
const expired = { status: 'expired', totalCents: 2000_00, creditedCents: 0 } as const

describe('the payment state of an order', () => {
  it.each<
    [
      label: string,
      order: Parameters<typeof calculateOrderBalance>[0]['order'],
      paid: number[],
      refunds: Refund[],
      dueCents: number,
    ]
  >([
    ['Not paid', placed, [], [], 2000_00],
    ['Not paid', cancelled, [], [], 0],
    ['Paid', placed, [2000_00], [], 0],
    ['KSH 300 due', { status: 'packed', totalCents: 2300_00, creditedCents: 0 }, [2000_00], [], 300_00],
    ['Refund due: KSH 500', { status: 'placed', totalCents: 1500_00, creditedCents: 0 }, [2000_00], [], 0],
    ['Refund due: KSH 500', placed, [2000_00], [refund(500_00, 'other', 'due')], 0],
    ['Partly refunded', placed, [2000_00], [refund(500_00, 'return')], 0],
    [
      'Paid',
      { status: 'placed', totalCents: 1500_00, creditedCents: 0 },
      [2000_00],
      [refund(500_00, 'order_edited')],
      0,
    ],
    [
      'Paid',
      { status: 'delivered', totalCents: 1500_00, creditedCents: 0 },
      [2000_00],
      [refund(500_00, 'exchange')],
      0,
    ],
    [
      'KSH 300 due',
      { status: 'placed', totalCents: 1800_00, creditedCents: 0 },
      [2000_00],
      [refund(500_00, 'order_edited')],
      300_00,
    ],
    ['KSH 300 due', { ...placed, creditedCents: 1200_00 }, [500_00], [], 300_00],
    ['Paid', { ...placed, creditedCents: 1200_00 }, [800_00], [], 0],
    ['Not paid', { ...placed, creditedCents: 2000_00 }, [], [], 0],
    ['Refunded', { ...placed, creditedCents: 1500_00 }, [500_00], [refund(500_00, 'return')], 0],
    ['Paid', placed, [2000_00, 2000_00], [refund(2000_00, 'extra_payment')], 0],
    ['Refunded', placed, [2000_00], [refund(2000_00, 'other')], 0],
    ['Refunded', cancelled, [2000_00], [refund(500_00, 'other'), refund(1500_00, 'order_cancelled')], 0],
    ['Refunded', expired, [2000_00], [refund(2000_00, 'late_payment')], 0],
    ['Refund due: KSH 2,000', expired, [2000_00], [refund(2000_00, 'late_payment', 'due')], 0],
  ])(
    'is “%s” for the order %j, the payments %j and the refunds %j',
    (label, order, amounts, refunds, dueCents) => {
      const balance = calculateOrderBalance({ order, payments: createPayments(...amounts), refunds })
      expect([formatPaymentStatus(balance), balance.dueCents]).toEqual([label, dueCents])
    },
  )

  it('stays unpaid after a declined payment', () => {
    const payments = [{ state: 'declined', amountCents: 2000_00 }]
    expect(calculateOrderBalance({ order: placed, payments, refunds: [] })).toMatchObject({
      status: 'unpaid',
    })
  })

  it('has either an amount due or an amount to refund, never both', () => {
    const cents = fc.integer({ min: 0, max: 5 })
    const input = fc.record({
      order: fc.record({
        status: fc.constantFrom('placed', 'cancelled', 'expired'),
        totalCents: cents,
        creditedCents: fc.constant(0),
      }),
      payments: fc.array(fc.record({ state: fc.constantFrom('settled', 'pending'), amountCents: cents })),
      refunds: fc.constant([]),
    })
    fc.assert(
      fc.property(input, (order) => {
        const { paidCents, dueCents, refundDueCents } = calculateOrderBalance(order)
        expect(Math.min(dueCents, refundDueCents)).toBe(0)
        const owed = order.order.status === 'placed' ? order.order.totalCents : 0
        expect(paidCents + dueCents - refundDueCents).toBe(owed)
      }),
    )
  })
})

describe('the receipt', () => {
  const payment = { provider: 'mpesa', receipt: 'SIM1' } as const
  it.each<[totalCents: number, refunds: Refund[], lines: string[]]>([
    [2000_00, [], []],
    [2300_00, [], ['KSH 300 still to pay']],
    [1500_00, [refund(500_00, 'order_edited')], ['KSH 500 refunded']],
    [1800_00, [refund(500_00, 'exchange')], ['KSH 300 still to pay', 'KSH 500 refunded']],
    [
      2000_00,
      [refund(500_00, 'return'), refund(200_00, 'return', 'due')],
      ['KSH 500 refunded', 'Refund of KSH 200 in progress'],
    ],
    [2000_00, [refund(2000_00, 'other')], ['KSH 2,000 refunded']],
  ])('for a total of %i cents lists what is due and every refund', (totalCents, refunds, lines) => {
    const order = { status: 'placed', totalCents, creditedCents: 0 } as const
    const balance = calculateOrderBalance({ order, payments: createPayments(2000_00), refunds })
    expect(listPaymentLines({ totals: { totalCents }, card: null, payment, balance })).toEqual([
      'M-Pesa: receipt SIM1',
      ...lines,
    ])
  })
})

describe('packing', () => {
  const calculateBalance = (refunds: Refund[], ...amounts: number[]) =>
    calculateOrderBalance({ order: placed, payments: createPayments(...amounts), refunds })

  it('needs a confirmation for an order that is not fully paid or is fully refunded', () => {
    expect(findPackingProblem(calculateBalance([], 2000_00))).toBeUndefined()
    expect(findPackingProblem(calculateBalance([refund(500_00, 'return')], 2000_00))).toBeUndefined()
    expect(findPackingProblem(calculateBalance([], 1500_00))).toBe('KSH 500 of this order hasn’t been paid.')
    expect(findPackingProblem(calculateBalance([refund(2000_00, 'other')], 2000_00))).toBe(
      'KSH 2,000 of this order has been refunded.',
    )
    expect(findPackingProblem(calculateBalance([refund(2000_00, 'other', 'due')], 2000_00))).toBe(
      'A refund of KSH 2,000 for this order is in progress.',
    )
  })

  it('needs no confirmation once all that was paid for an order that became free is refunded', () => {
    const order = { status: 'placed', totalCents: 0, creditedCents: 0 } as const
    const refunds = [refund(500_00, 'other'), refund(1500_00, 'order_edited')]
    const balance = calculateOrderBalance({ order, payments: createPayments(2000_00), refunds })
    expect([balance.status, findPackingProblem(balance)]).toEqual(['paid', undefined])
  })
})
