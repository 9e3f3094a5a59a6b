/** `caret` is the number of characters before it. */
export type FieldText = { text: string; caret: number }

export type FieldEdit = FieldText & { inputType?: string | undefined }

export type FieldFormatter = (edit: FieldEdit, before: string) => FieldText

/** With its spaces, a card number has 19 characters (§ 5). */
const CARD_NUMBER_DIGITS = 16
const GROUP_DIGITS = 4
const EXPIRATION_DIGITS = 4
const CVV_DIGITS = 4

/** Matches dates such as `2030-12`, which browsers autofill and shoppers paste. */
const YEAR_FIRST_PATTERN = /^\s*20(\d\d)(?:\s*[/.-]\s*(\d{1,2})|(\d\d))\s*$/
/** Matches `2030-1` while it is being typed: by then, the text is `20/301`, and 20 isn't a month. */
const YEAR_TYPED_FIRST_PATTERN = /^20\/(\d\d)(\d)$/
/** Matches `12/203`, which precedes `12/2030` while typing. */
const CENTURY_TYPED_PATTERN = /^(\d\d)\/20(\d)$/

const removeNonDigits = (text: string) => text.replace(/\D/g, '')

export const formatCardNumber: FieldFormatter = (edit, before) => {
  const { digits, caretDigits, isDeleting } = applyEdit(edit, before, CARD_NUMBER_DIGITS)
  const text = digits.replace(/(\d{4})(?=\d)/g, '$1 ')
  const passedDigits = isDeleting ? Math.max(caretDigits - 1, 0) : caretDigits
  return { text, caret: Math.min(caretDigits + Math.floor(passedDigits / GROUP_DIGITS), text.length) }
}

/** Formats an expiration date as `MM/YY` (§ 5). */
export const formatExpiration: FieldFormatter = (edit, before) => {
  const yearFirst = YEAR_TYPED_FIRST_PATTERN.exec(edit.text)
  // The caret stays before the slash while the month can still get a second digit.
  if (yearFirst) {
    const [, year, month = ''] = yearFirst
    return month < '2' ? { text: `${month}/${year}`, caret: 1 } : { text: `0${month}/${year}`, caret: 5 }
  }
  const century = CENTURY_TYPED_PATTERN.exec(edit.text)
  if (century) return { text: `${century[1]}/${century[2]}`, caret: 4 }
  const { digits, caretDigits, isDeleting } = applyEdit(normaliseExpiration(edit), before, EXPIRATION_DIGITS)
  const hasSlash = digits.length > 2 || (digits.length === 2 && !isDeleting)
  const text = hasSlash ? `${digits.slice(0, 2)}/${digits.slice(2)}` : digits
  const isPastSlash = isDeleting ? caretDigits > 2 : caretDigits >= 2
  return { text, caret: Math.min(caretDigits + (isPastSlash ? 1 : 0), text.length) }
}

export const formatCvv: FieldFormatter = (edit, before) => {
  const { digits, caretDigits } = applyEdit(edit, before, CVV_DIGITS)
  return { text: digits, caret: caretDigits }
}

function applyEdit(edit: FieldEdit, before: string, maxDigits: number) {
  const { text, caret, inputType = '' } = edit
  const isDeleting = inputType.startsWith('delete')
  let digits = removeNonDigits(text)
  let caretDigits = removeNonDigits(text.slice(0, caret)).length
  const previousDigits = removeNonDigits(before)

  // The deletion removed only a separator, so the adjacent digit is deleted instead.
  if (isDeleting && digits === previousDigits && text !== before) {
    const at = inputType === 'deleteContentForward' ? caretDigits : caretDigits - 1
    if (at >= 0) digits = digits.slice(0, at) + digits.slice(at + 1)
    caretDigits = Math.max(Math.min(at, digits.length), 0)
  }
  // A digit typed in the middle of a full field must not push out the last digit.
  if (inputType === 'insertText' && previousDigits.length === maxDigits && digits.length === maxDigits + 1) {
    digits = previousDigits
    caretDigits -= 1
  }
  digits = digits.slice(0, maxDigits)
  return { digits, caretDigits: Math.min(caretDigits, digits.length), isDeleting }
}

/** Converts dates such as `1/30`, `01/2030` and `2030-1` to `01/30`. */
function normaliseExpiration({ text, caret, inputType }: FieldEdit): FieldEdit {
  const [, year, month, twoDigits] = YEAR_FIRST_PATTERN.exec(text) ?? []
  if (year) {
    const monthFirst = `${(twoDigits ?? month ?? '').padStart(2, '0')}/${year}`
    return { text: monthFirst, caret: monthFirst.length, inputType }
  }
  const isLong = /^\s*(?:\d{1,2}\s*[/-]|\d\d)\s*20\d\d\s*$/.test(text)
  const short = isLong ? text.replace(/20(?=\d\d\s*$)/, '') : text
  const isOneDigitMonth = /^\s*[1-9]\s*[/-]/.test(short)
  const whole = isOneDigitMonth ? `0${short.trimStart()}` : short
  return {
    text: whole,
    caret: isLong || isOneDigitMonth ? caret + (isOneDigitMonth ? 1 : 0) : caret,
    inputType,
  }
}
