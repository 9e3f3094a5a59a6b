import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FieldFormatter, formatCardNumber, formatCvv, formatExpiration } from './card-format.ts'

/** In the texts, `|` marks the caret. */
function createField(format: FieldFormatter, start = '|') {
  let text = start.replace('|', '')
  let caret = start.indexOf('|')
  const edit = (next: string, nextCaret: number, inputType: string) => {
    const result = format({ text: next, caret: nextCaret, inputType }, text)
    text = result.text
    caret = result.caret
  }
  const showCaret = () => `${text.slice(0, caret)}|${text.slice(caret)}`
  const insert = (typed: string, inputType: string) =>
    edit(text.slice(0, caret) + typed + text.slice(caret), caret + typed.length, inputType)
  return {
    type(keys: string) {
      for (const key of keys) insert(key, 'insertText')
      return showCaret()
    },
    paste: (pasted: string) => {
      insert(pasted, 'insertFromPaste')
      return showCaret()
    },
    backspace() {
      if (caret > 0) edit(text.slice(0, caret - 1) + text.slice(caret), caret - 1, 'deleteContentBackward')
      return showCaret()
    },
    remove() {
      edit(text.slice(0, caret) + text.slice(caret + 1), caret, 'deleteContentForward')
      return showCaret()
    },
  }
}

describe('the card number', () => {
  it('is grouped in fours as it is typed', () => {
    expect(createField(formatCardNumber).type('41111')).toBe('4111 1|')
    expect(createField(formatCardNumber).type('4111111111111111')).toBe('4111 1111 1111 1111|')
  })

  it('is limited to 19 characters and ignores further digits anywhere', () => {
    expect(createField(formatCardNumber, '4111 1111 1111 1111|').type('9')).toBe('4111 1111 1111 1111|')
    expect(createField(formatCardNumber, '41|11 1111 1111 1111').type('9')).toBe('41|11 1111 1111 1111')
  })

  it.each(['4111-1111-1111-1111', '4111 1111 1111 1111', '  4111.1111.1111.1111 ', '4111111111111111'])(
    'accepts a pasted "%s"',
    (pasted) => expect(createField(formatCardNumber).paste(pasted)).toBe('4111 1111 1111 1111|'),
  )

  it('keeps the caret where the shopper is editing', () => {
    expect(createField(formatCardNumber, '12|34 5678').type('9')).toBe('129|3 4567 8')
    expect(createField(formatCardNumber, '123|4 5678').type('9')).toBe('1239 |4567 8')
    expect(createField(formatCardNumber, '1234 56|78').backspace()).toBe('1234 5|78')
  })

  it('loses the adjacent digit when a space is deleted', () => {
    expect(createField(formatCardNumber, '1234 |5678').backspace()).toBe('123|5 678')
    expect(createField(formatCardNumber, '1234| 5678').remove()).toBe('1234| 678')
  })

  it('can be deleted completely', () => {
    const number = createField(formatCardNumber, '1234 5678 9|')
    for (let times = 0; times < 9; times++) number.backspace()
    expect(number.type('')).toBe('|')
  })
})

describe('the expiration date', () => {
  it('gets its slash after two digits', () => {
    expect(createField(formatExpiration).type('12')).toBe('12/|')
    expect(createField(formatExpiration).type('1228')).toBe('12/28|')
  })

  it('accepts a typed slash, including after a one-digit month', () => {
    expect(createField(formatExpiration).type('12/28')).toBe('12/28|')
    expect(createField(formatExpiration).type('1/28')).toBe('01/28|')
  })

  it.each([
    ['12/28', '12/28|'],
    ['12/2028', '12/28|'],
    ['1/2028', '01/28|'],
    ['12-28', '12/28|'],
    ['12 / 28', '12/28|'],
    ['1228', '12/28|'],
    ['2030-12', '12/30|'],
    ['2030/1', '01/30|'],
    ['203012', '12/30|'],
    ['122030', '12/30|'],
  ])('accepts a pasted "%s"', (pasted, shown) => {
    expect(createField(formatExpiration).paste(pasted)).toBe(shown)
  })

  it.each([
    ['2030-12', '12/|30'],
    ['2030/12', '12/|30'],
    ['203012', '12/|30'],
    ['2030-3', '03/30|'],
    ['2030-07', '07/|30'],
  ])('accepts a year typed before the month: "%s"', (typed, shown) => {
    expect(createField(formatExpiration).type(typed)).toBe(shown)
  })

  it.each(['12/2030', '122030'])('accepts a four-digit year typed after the month: "%s"', (typed) => {
    expect(createField(formatExpiration).type(typed)).toBe('12/30|')
  })

  it('can be deleted across its slash', () => {
    const date = createField(formatExpiration, '12/28|')
    expect([1, 2, 3, 4].map(() => date.backspace())).toEqual(['12/2|', '12|', '1|', '|'])
  })

  it('is limited to 5 characters', () =>
    expect(createField(formatExpiration, '12/28|').type('9')).toBe('12/28|'))
})

describe('the CVV', () => {
  it('accepts only digits, and at most four', () => {
    expect(createField(formatCvv).type('1a2-3')).toBe('123|')
    expect(createField(formatCvv).type('12345')).toBe('1234|')
  })
})

it('every format is idempotent and keeps the caret inside the text', () => {
  for (const format of [formatCardNumber, formatExpiration, formatCvv]) {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789 /-a') }), fc.nat(30), (text, at) => {
        const once = format({ text, caret: Math.min(at, text.length), inputType: 'insertFromPaste' }, '')
        const again = format({ ...once, inputType: 'insertFromPaste' }, once.text)
        expect(again.text).toBe(once.text)
        expect(once.caret).toBeGreaterThanOrEqual(0)
        expect(once.caret).toBeLessThanOrEqual(once.text.length)
      }),
    )
  }
})
