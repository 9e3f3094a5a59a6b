import { expect, it } from 'vitest'
import { withoutErrorsOf } from './return-field.tsx'

it('input into a field of the return form hides its error, and those that it may have resolved', () => {
  const errors = { 'qty-0': 'Choose an item.', reason: 'Choose a reason.', returnNote: 'Enter a size.' }
  const entered = { values: {}, errors, firstInvalid: 'qty-0' }
  const listErrors = (...changed: string[]) => Object.keys(withoutErrorsOf(changed, entered).errors)
  expect(listErrors()).toEqual(['qty-0', 'reason', 'returnNote'])
  expect(listErrors('reason')).toEqual(['qty-0', 'returnNote'])
  expect(listErrors('qty-1'), 'the error about all quantities').toEqual(['reason', 'returnNote'])
  expect(listErrors('for-0', 'reason'), 'a size replaces the message').toEqual(['qty-0'])
  expect(listErrors('returnKind'), 'a return needs no message').toEqual(['qty-0', 'reason'])
})
