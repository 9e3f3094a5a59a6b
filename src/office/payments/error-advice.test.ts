import { expect, it } from 'vitest'
import { describePaymentError } from './error-advice.ts'

it.each([
  ['1 The balance is insufficient for the transaction', /Top it up, then retry the refund\. \(Code 1\)/],
  ['R000002 The OriginalTransactionID is invalid.', /can’t find this payment.*\(Code R000002\)/],
  ['2001 The initiator information is invalid.', /Check MPESA_INITIATOR/],
  ['500.003.02 System is busy', /too busy.*\(Code 500\.003\.02\)/],
  ['TimeoutError: The operation was aborted due to timeout', /^The payment provider didn’t respond/],
  ['404.001.03 Invalid Access Token', /credentials/],
  ['MPESA_INITIATOR isn’t set.', /^The shop can’t reverse M-Pesa payments yet/],
  [
    'M-Pesa reverses whole payments only, and MPESA_DISBURSEMENT_SHORTCODE isn’t set.',
    /Send the money manually in M-Pesa\.$/,
  ],
  ['99 Something new', /^The payment provider refused this: Something new \(code 99\)$/],
  ['M-Pesa hasn’t sent the receipt number yet.', /^M-Pesa hasn’t sent the receipt number yet\.$/],
  ['', /^$/],
])('the office explains the payment error “%s”', (error, text) => {
  expect(describePaymentError(error, { isRefund: true, isRetried: true })).toMatch(text)
})

it.each([
  [true, 'M-Pesa was too busy. The shop will try again automatically. (Code 500.003.02)'],
  [false, 'M-Pesa was too busy. (Code 500.003.02)'],
])('the office promises a retry only if there is one: %s', (isRetried, text) => {
  const error = '500.003.02 System is busy'
  expect(describePaymentError(error, { isRefund: true, isRetried })).toBe(text)
})

it('the office doesn’t explain a failed payment as if it were a refund', () => {
  const error = '500.001.1001 Unable to lock subscriber'
  expect(describePaymentError(error, { isRefund: false, isRetried: false })).toBe(
    'The payment provider refused this: Unable to lock subscriber (code 500.001.1001)',
  )
})
