import { expect, it } from 'vitest'
import { csvLine } from './csv.ts'

it.each([
  [['Amina', 'Wanjiru'], 'Amina,Wanjiru\r\n'],
  [['Kikoi, "blue"', 'two\nlines'], '"Kikoi, ""blue""","two\nlines"\r\n'],
  [[' padded '], '" padded "\r\n'],
  [[12.5, -3, 0], '12.5,-3,0\r\n'],
  [[null, ''], ',\r\n'],
])('writes %j as a line of CSV', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})

it.each(['=1+1', '+254700', '-2', '@SUM(A1)', '\t=1', '\r=1', '＝1'])(
  'keeps %j from running as a formula',
  (text) => {
    expect(csvLine([text]).replace(/^"|"\r\n$|\r\n$/g, '')).toBe(`'${text}`)
  },
)
