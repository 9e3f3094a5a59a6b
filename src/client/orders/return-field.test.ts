import { expect, it } from 'vitest'
import { wantsOtherItem, withoutErrorsOf } from './return-field.tsx'

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

it.each([
  [{ 'qty-0': '1' }, false, false],
  [{ 'qty-0': '1', 'for-0': '2' }, false, false],
  [{ 'qty-0': '1', 'for-0': 'other' }, true, false],
  [{ 'qty-0': '0', 'for-0': 'other' }, false, false],
  [{ 'qty-0': '1', 'for-0': '2', 'qty-1': '1' }, false, true],
])(
  'the form with %j asks for another item for the line with sizes: %s, without: %s',
  (values, first, second) => {
    const size = { id: 2, label: 'M', priceCents: 100_00, isSoldOut: false }
    const entered = new URLSearchParams(values as Record<string, string>)
    const lines = [{ sizes: [size] }, { sizes: [] }]
    expect(lines.map((line, index) => wantsOtherItem(line, index, entered))).toEqual([first, second])
  },
)
