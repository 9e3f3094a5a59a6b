import { expect, it } from 'vitest'
import { readPdfObjects, readPdfPages } from '#test/support/pdf.ts'
import { createPdfFile, drawText, measureText } from './pdf-file.ts'

const style = { x: 56, y: 700, font: 'Helvetica', size: 11, colour: '#241e18' } as const

it('a PDF has each object at the offset that it lists, and streams of the length that they state', () => {
  const file = createPdfFile('Two pages', [drawText({ ...style, text: 'Kikoi (blue) “é”' }), ''])
  expect(readPdfObjects(file)).toHaveLength(10)
  expect(readPdfPages(file).map(({ lines }) => lines.map(({ text }) => text))).toEqual([
    ['Kikoi (blue) “é”'],
    [],
  ])
})

it('text is measured by the metrics of its font', () => {
  expect(measureText('Total', 'Helvetica', 1000)).toBe(611 + 556 + 278 + 556 + 222)
  expect(measureText('Total', 'Helvetica-Bold', 1000)).toBe(611 + 611 + 333 + 556 + 278)
  expect(measureText('Pamba', 'Times-Bold', 500)).toBe((611 + 500 + 833 + 556 + 500) / 2)
  expect(measureText('€\u00a0×', 'Helvetica', 1000)).toBe(556 + 278 + 584)
  expect(measureText('é', 'Helvetica', 11)).toBe(measureText('e', 'Helvetica', 11))
})
