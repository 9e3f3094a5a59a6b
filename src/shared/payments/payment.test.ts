import { expect, it } from 'vitest'
import { findPaymentPhoneProblem, formatLocalPhone, normaliseMobile } from './payment.ts'

it.each(['0712345678', '0712 345 678', '712345678', '+254712345678', '+254 (712) 345-678', ' 254712345678 '])(
  'the mobile number %j is accepted and normalized',
  (text) => {
    expect(normaliseMobile(text)).toBe('254712345678')
    expect(findPaymentPhoneProblem(text, 'mpesa')).toBeUndefined()
  },
)

it.each(['0812345678', '07123456789', '071234567', '+255712345678', 'phone', '0712345678x', '7'.repeat(30)])(
  '%j is rejected as an M-Pesa number',
  (text) => {
    expect(normaliseMobile(text)).toBeUndefined()
    expect(findPaymentPhoneProblem(text, 'mpesa')).toBe('Please enter a valid M-Pesa phone number')
  },
)

it('an M-Pesa number is required', () => {
  expect(findPaymentPhoneProblem('  ', 'mpesa')).toBe('M-Pesa phone number is required')
})

it('a phone number is shown in the Kenyan format', () => {
  expect(formatLocalPhone('254112345678')).toBe('0112 345 678')
})
