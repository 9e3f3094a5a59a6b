import { expect, it } from 'vitest'
import { needsItemInMessage, withoutErrorsOf } from './return-field.tsx'

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

it('the message must name an item if a line has no sizes or another item is chosen for it', () => {
  const size = { id: 2, label: 'M', priceCents: 100_00, isSoldOut: false }
  const lines = [{ sizes: [size] }, { sizes: [] }]
  const needsItem = (values: Record<string, string>) => needsItemInMessage(lines, new URLSearchParams(values))
  expect(needsItem({ 'qty-0': '1', 'qty-1': '0' })).toBe(false)
  expect(needsItem({ 'qty-0': '1', 'qty-1': '0', 'for-0': '2' })).toBe(false)
  expect(needsItem({ 'qty-0': '1', 'qty-1': '0', 'for-0': 'other' })).toBe(true)
  expect(needsItem({ 'qty-0': '0', 'qty-1': '0', 'for-0': 'other' })).toBe(false)
  expect(needsItem({ 'qty-0': '1', 'qty-1': '1', 'for-0': '2' })).toBe(true)
})
