import { expect, it } from 'vitest'
import { formatCsvLine, removeFormulaGuards } from './csv.ts'

it.each([
  [['Amina', 'Wanjiru'], 'Amina,Wanjiru\r\n'],
  [['Kikoi, "blue"', 'two\nlines'], '"Kikoi, ""blue""","two\nlines"\r\n'],
  [[' padded '], '" padded "\r\n'],
  [[12.5, -3, 0], '12.5,-3,0\r\n'],
  [[null, ''], ',\r\n'],
])('the cells %j are written as a CSV row', (cells, line) => {
  expect(formatCsvLine(cells)).toBe(line)
})

it.each([
  ...['=1+1', '+254700', '-2', '@SUM(A1)', '\t=1', '\r=1', '＝1'],
  ...['Amina;=1+1', 'Amina\t=1+1', ';;-2', 'a, b;+254700'],
])('a CSV cell with %j doesn’t run as a formula, whatever the separator, and can be read back', (text) => {
  const cell = formatCsvLine([text]).replace(/^"|"\r\n$|\r\n$/g, '')
  expect(cell.split(/[;\t]/).filter((part) => /^[=+\-@\t\r＝]/.test(part))).toEqual([])
  expect(removeFormulaGuards(cell)).toBe(text)
})
