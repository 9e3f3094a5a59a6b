import { describe, expect, it } from 'vitest'
import { billingSchema } from './contract.ts'
import { findOrderFieldProblem, getVisibleFields, ORDER_FIELDS, type OrderField } from './fields.ts'

const filled: Record<OrderField, string> = {
  firstName: 'Wanjiru',
  lastName: 'Kamau',
  email: 'wanjiru@example.com',
  address: 'Ngong Road 12',
  address2: '',
  country: 'Kenya',
  state: 'Nairobi',
  zip: '00100',
  phone: '',
  landmark: '',
  giftNote: '',
  kraPin: '',
}

describe('order fields', () => {
  it('are valid when filled in, or empty if optional', () => {
    for (const field of ORDER_FIELDS) expect(findOrderFieldProblem(field, filled[field])).toBeUndefined()
  })

  it.each([
    ['firstName', 'First name is required'],
    ['lastName', 'Last name is required'],
    ['email', 'Email is required'],
    ['address', 'Address is required'],
    ['country', 'Please select a country'],
    ['state', 'Please select a county'],
    ['zip', 'Zip code is required'],
  ] as const)('must include %s', (field, message) => {
    expect(findOrderFieldProblem(field, '')).toBe(message)
    expect(findOrderFieldProblem(field, '  ')).toBe(message)
  })

  it.each([
    ['email', 'wanjiru', 'Please enter a valid email address'],
    ['email', 'a b@c.de', 'Please enter a valid email address'],
    ['email', 'a@b@c.de', 'Please enter a valid email address'],
    ['email', 'a@localhost', 'Please enter a valid email address'],
    ['email', '<v>x@y.zz', 'Please enter a valid email address'],
    ['email', 'a,b@x.yz', 'Please enter a valid email address'],
    ['email', `${'a'.repeat(250)}@b.ke`, 'Please use at most 254 characters'],
    ['email', ' a@b.ke ', undefined],
    ['address', 'x'.repeat(201), 'Please use at most 200 characters'],
    ['country', 'Uganda', 'Please select a country'],
    ['state', 'Kampala', 'Please select a county'],
    ['phone', '0712 345 678', undefined],
    ['phone', 'call me', 'Please enter a valid phone number'],
    ['phone', '0'.repeat(25), 'Please enter a valid phone number'],
    ['landmark', 'x'.repeat(121), 'Please use at most 120 characters'],
    ['kraPin', 'p051234567x', undefined],
    ['kraPin', 'P05123456X', 'Please enter a valid KRA PIN, for example A123456789Z'],
    ['giftNote', 'x'.repeat(200), undefined],
    ['giftNote', 'x'.repeat(201), 'Please use at most 200 characters'],
    ['giftNote', `${'x'.repeat(199)}🎁`, undefined],
    ['giftNote', `${'x'.repeat(200)}🎁`, 'Please use at most 200 characters'],
  ] as const)('with %s %j give the error: %s', (field, value, message) => {
    expect(findOrderFieldProblem(field, value)).toBe(message)
  })

  it('appear on a packing slip without empty lines, with the landmark as typed', () => {
    const order = { ...filled, address2: null, phone: '254712345678', landmark: 'Yaya Centre, 3rd floor' }
    expect(getVisibleFields(order, 'packingSlip')).toEqual({
      name: 'Wanjiru Kamau',
      address: ['Ngong Road 12', 'Yaya Centre, 3rd floor', '00100 Nairobi', 'Kenya'],
      phone: '0712 345 678',
      extras: [],
    })
  })
})

describe('the billing schema', () => {
  it('gives the form’s messages, including for missing fields', () => {
    const result = billingSchema.safeParse({ email: 'nobody', country: 'Kenya', state: 'Kampala' })
    expect(result.error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['firstName', 'First name is required'],
      ['lastName', 'Last name is required'],
      ['email', 'Please enter a valid email address'],
      ['address', 'Address is required'],
      ['state', 'Please select a county'],
      ['zip', 'Zip code is required'],
    ])
  })

  it('preserves line breaks in a gift note and removes other control characters', () => {
    const { giftNote } = billingSchema.parse({
      ...filled,
      giftNote: ' Happy birthday,\r\nAmina!\u0000\u001b[2J ',
    })
    expect(giftNote).toBe('Happy birthday,\nAmina![2J')
  })

  it('trims values, replaces control characters and drops unknown keys', () => {
    const parsed = billingSchema.parse({ ...filled, ccNumber: '4242', firstName: ' Wanjiru\r\nBcc: x ' })
    expect(parsed.firstName).toBe('Wanjiru Bcc: x')
    expect(Object.keys(parsed)).not.toContain('ccNumber')
  })
})
