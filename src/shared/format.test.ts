import { expect, it } from 'vitest'
import { formatList, formatMoney, keepAmountsUnbroken } from './format.ts'

it.each([
  ['We’ve received KSH 6,148. Thank you!', 'We’ve received KSH_6,148. Thank you!'],
  ['Dress, 2–3 years → 4–5 years', 'Dress, 2–|3_years → 4–|5_years'],
  ['Monday, 9 am to 6 pm', 'Monday, 9_am to 6_pm'],
  ['2 amber beads in KSH', '2 amber beads in KSH'],
])('keeps the amounts of “%s” on one line', (text, unbroken) => {
  expect(keepAmountsUnbroken(text).replaceAll('\u00a0', '_').replaceAll('\u2060', '|')).toBe(unbroken)
})

it.each([
  [0, 'KSH 0'],
  [99_950, 'KSH 999.50'],
  [100_000, 'KSH 1,000'],
  [-123_456_705, '−KSH 1,234,567.05'],
])('formats %i cents as “%s”', (cents, text) => {
  expect(formatMoney(cents)).toBe(text)
})

it.each([
  [[], ''],
  [['Nairobi'], 'Nairobi'],
  [['Nairobi', 'Kiambu'], 'Nairobi and Kiambu'],
  [['Nairobi', 'Kiambu', 'Mombasa'], 'Nairobi, Kiambu and Mombasa'],
])('joins %j as “%s”', (texts, list) => {
  expect(formatList(texts)).toBe(list)
})
