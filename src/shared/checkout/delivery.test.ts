import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '#shared/time.ts'
import { COUNTIES } from './checkout-form.ts'
import {
  calculateLatestDeliveryMs,
  createDeliveryTerms,
  DEFAULT_TERMS,
  DELIVERY_METHODS,
  quoteDelivery,
} from './delivery.ts'
import { STANDARD_SHIPPING_FEE_KSH } from './fees.ts'
import { calculateCheckoutTotals } from './pricing.ts'

const COAST = { name: 'Coast', counties: ['Mombasa'], feeKsh: 250 } as const
const RIFT = { name: 'Rift Valley', counties: ['Nakuru', 'Eldoret'], feeKsh: 180 } as const
const PICKUP = 'Biashara Street 9, Monday to Saturday, 9\u00a0am to 6\u00a0pm'
const byDelivery = (county: string) => ({ method: 'delivery', county }) as const
const byPickup = (county: string) => ({ method: 'pickup', county }) as const

describe('the delivery terms', () => {
  it('default to one fee everywhere and no pickup', () => {
    const terms = createDeliveryTerms({ zones: [], pickup: ' ' })
    expect(terms).toEqual(DEFAULT_TERMS)
    const usual = { feeKsh: STANDARD_SHIPPING_FEE_KSH, deliveryZone: null, pickup: null }
    for (const method of DELIVERY_METHODS)
      for (const county of ['', ...COUNTIES]) expect(quoteDelivery(terms, { method, county })).toEqual(usual)
  })

  it('charge the zone fee, the standard fee outside zones, and the highest fee until a county is selected', () => {
    const terms = createDeliveryTerms({ zones: [COAST, RIFT], pickup: '' })
    const feeOf = (county: string) => quoteDelivery(terms, byDelivery(county))
    expect(feeOf('Mombasa')).toEqual({ feeKsh: 250, deliveryZone: 'Coast', pickup: null })
    expect(feeOf('Eldoret')).toEqual({ feeKsh: 180, deliveryZone: 'Rift Valley', pickup: null })
    expect(feeOf('Nairobi')).toEqual({ feeKsh: 30, deliveryZone: null, pickup: null })
    expect(feeOf('')).toMatchObject({ feeKsh: 250 })
    expect(feeOf('constructor')).toMatchObject({ feeKsh: 250 })
  })

  it('make pickup free if the shop offers it, and keep its opening times unbroken', () => {
    const terms = createDeliveryTerms({ zones: [COAST], pickup: PICKUP.replaceAll('\u00a0', ' ') })
    expect(quoteDelivery(terms, byPickup('Mombasa'))).toEqual({
      feeKsh: 0,
      deliveryZone: null,
      pickup: PICKUP,
    })
    const without = createDeliveryTerms({ zones: [COAST], pickup: '' })
    expect(quoteDelivery(without, byPickup('Mombasa'))).toMatchObject({ feeKsh: 250, pickup: null })
  })

  it.each([
    ['a county in two zones', [COAST, { ...RIFT, counties: ['Mombasa'] as const }]],
    ['half a shilling', [{ ...COAST, feeKsh: 99.5 }]],
    ['a fee below zero', [{ ...COAST, feeKsh: -1 }]],
  ])('are rejected with %s', (_what, zones) => {
    expect(() => createDeliveryTerms({ zones, pickup: '' })).toThrow(/zone|whole shillings/)
  })

  it('never charge more than the fee shown before a county is selected', () => {
    const fee = fc.integer({ min: 0, max: 2000 })
    const choice = fc.record({
      method: fc.constantFrom(...DELIVERY_METHODS),
      county: fc.constantFrom(...COUNTIES),
    })
    fc.assert(
      fc.property(fee, fee, fc.integer({ min: 1, max: 2000 }), choice, (coast, rift, price, selected) => {
        const zones = [
          { ...COAST, feeKsh: coast },
          { ...RIFT, feeKsh: rift },
        ]
        const terms = createDeliveryTerms({ zones, pickup: PICKUP })
        const { feeKsh, pickup } = quoteDelivery(terms, selected)
        const { shippingCents } = calculateCheckoutTotals([{ price, qty: 1 }], null, feeKsh)
        expect(feeKsh).toBeLessThanOrEqual(quoteDelivery(terms, byDelivery('')).feeKsh)
        expect(shippingCents).toBe(price > 1000 || pickup !== null ? 0 : feeKsh * 100)
      }),
    )
  })
})

it.each([
  ['1 to 3 days', 3],
  ['1–2 days.', 2],
  ['2 - 4 Days', 4],
  ['1 day', 1],
  ['same day in Nairobi, 3 days elsewhere', undefined],
  ['2 to 4 working days', undefined],
  ['a few days', undefined],
  ['999 days', undefined],
  ['', undefined],
])('a delivery in “%s” arrives after %s days at the latest', (time, days) => {
  expect(calculateLatestDeliveryMs(time, 7)).toBe(days === undefined ? undefined : 7 + days * DAY_MS)
})
