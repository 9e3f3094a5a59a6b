import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PrintableBlock } from '#server/platform/email/layout.ts'
import { shop } from '#shared/shop.ts'
import { anyCharacters, HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { readPdfObjects, readPdfPages } from '#test/support/pdf.ts'
import { measureText, PAGE_WIDTH, type PdfFont } from './pdf-file.ts'
import { MARGIN, renderPdf } from './render-pdf.ts'

const contact = { email: 'hello@pamba.example', phone: '' }
const RIGHT_EDGE = PAGE_WIDTH - MARGIN
const ROUNDING = 0.01

function render(blocks: readonly PrintableBlock[], heading = 'Invoice INV-000001') {
  const file = renderPdf(heading, blocks, contact)
  return file && { file, pages: readPdfPages(file) }
}

function readLines(blocks: readonly PrintableBlock[]) {
  return render(blocks)?.pages.flatMap(({ lines }) => lines)
}

const endOf = ({ x, text, font, size }: { x: number; text: string; font: string; size: number }) =>
  x + measureText(text, font as PdfFont, size)

function expectToFit(pages: ReturnType<typeof readPdfPages>) {
  for (const { lines, rectangles } of pages) {
    for (const line of lines) {
      if (!/^Page \d+ of \d+$/.test(line.text)) expect(line.y).toBeGreaterThanOrEqual(MARGIN)
      expect(line.x).toBeGreaterThanOrEqual(MARGIN)
      expect(endOf(line)).toBeLessThanOrEqual(RIGHT_EDGE + ROUNDING)
    }
    for (const { y } of rectangles) expect(y).toBeGreaterThanOrEqual(MARGIN)
  }
}

describe('a PDF', () => {
  it('contains the shop’s name, the heading, the blocks and the contact details in this order', () => {
    const file = renderPdf(
      'Invoice INV-000001',
      [
        { kind: 'paragraph', text: 'Issued today.\nFor order P-7K3M9Q.' },
        { kind: 'quote', text: 'To:\r\nAmina' },
        { kind: 'rows', rows: [{ label: 'Total', value: 'KSH 1,200', isStrong: true }] },
      ],
      { email: 'karibu@pamba.example', phone: '0712 345 678' },
    )
    const lines = file && readPdfPages(file).flatMap((page) => page.lines)
    expect(lines?.map(({ text, font }) => `${font}: ${text}`)).toEqual([
      `Times-Bold: ${shop.name}`,
      'Times-Bold: Invoice INV-000001',
      'Helvetica: Issued today.',
      'Helvetica: For order P-7K3M9Q.',
      'Helvetica: To:',
      'Helvetica: Amina',
      'Helvetica-Bold: Total',
      'Helvetica-Bold: KSH 1,200',
      `Helvetica: ${shop.name}, ${shop.city}`,
      'Helvetica: karibu@pamba.example',
      'Helvetica: 0712 345 678',
    ])
  })

  it('has a title and a language', () => {
    const objects = readPdfObjects(render([], 'Été')?.file ?? new Uint8Array())
    expect(objects.join('\n')).toContain('/Title <feff00c9007400e9>')
    expect(objects[0]).toContain('/Lang (en)')
  })

  const readParagraph = (text: string) =>
    (readLines([{ kind: 'paragraph', text }]) ?? []).slice(2, -2).map((line) => line.text)

  it('wraps text at spaces', () => {
    const text = Array(60).fill('kikoi').join(' ')
    const lines = readParagraph(text)
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.join(' ')).toBe(text)
  })

  it('breaks no line at a non-breaking space', () => {
    const amounts = Array(60).fill('KSH\u00a01,200').join(' ')
    for (const line of readParagraph(amounts)) expect(line).toMatch(/^KSH.*1,200$/)
  })

  it('breaks words that are longer than a line', () => {
    const word = 'kikoi'.repeat(100)
    const lines = readParagraph(word)
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.join('')).toBe(word)
  })

  it('aligns values with the right margin, on the last line of their label', () => {
    const label = `${'Long-sleeved organic cotton tee for little ones '.repeat(4)}× 2`
    const lines = readLines([{ kind: 'rows', rows: [{ label, value: 'KSH 3,700' }] }]) ?? []
    const valueAt = lines.findIndex(({ text }) => text === 'KSH 3,700')
    const [end, value] = [lines[valueAt - 1], lines[valueAt]]
    expect(end?.text).toMatch(/× 2$/)
    expect(value?.y).toBe(end?.y)
    expect(value && endOf(value)).toBeCloseTo(RIGHT_EDGE, 2)
  })

  it('starts a page with each heading and numbers the pages', () => {
    const pages = render([
      { kind: 'paragraph', text: 'First' },
      { kind: 'heading', text: 'Credit note CN-000001' },
      { kind: 'paragraph', text: 'Second' },
    ])?.pages
    const texts = pages?.map(({ lines }) => lines.map(({ text }) => text).join('|'))
    expect(texts).toEqual([
      `${shop.name}|Invoice INV-000001|First|Page 1 of 2`,
      `${shop.name}|Credit note CN-000001|Second|${shop.name}, ${shop.city}|${contact.email}|Page 2 of 2`,
    ])
  })

  it('continues on the next page where one is full, without losing a line', () => {
    const rows = Array.from({ length: 70 }, (_, index) => ({ label: `Item ${index}`, value: `KSH ${index}` }))
    const text = Array.from({ length: 200 }, (_, index) => `Line ${index}`).join('\n')
    const pages = render([
      { kind: 'rows', rows },
      { kind: 'quote', text },
    ])?.pages
    expect(pages?.length).toBeGreaterThan(5)
    expectToFit(pages ?? [])
    const lines = pages?.flatMap((page) => page.lines.map((line) => line.text))
    expect(lines?.filter((line) => /^Item/.test(line))).toEqual(rows.map(({ label }) => label))
    expect(lines?.filter((line) => /^Line/.test(line)).join('\n')).toBe(text)
  })

  it.each([
    ['Wanjirũ Mũthoni wa Kĩnyanjui', 'Wanjiru Muthoni wa Kinyanjui'],
    ['Zoë’s “café” – 3 × 4 … €5', 'Zoë’s “café” – 3 × 4 … €5'],
    ['Zoe\u0308', 'Zoë'],
    ['−KSH\u00a0500', '–KSH 500'],
    ['2–\u20603 years\u200b', '2–3 years'],
    ['a\\b (c) \\) (', 'a\\b (c) \\) ('],
    ['%ORDER_LINK%', '%ORDER_LINK%'],
    ['lone \ud800surrogate \0 and\tcontrols\x7f', 'lone surrogate and controls'],
  ])('shows %j as %j', (text, shown) => {
    expect(readLines([{ kind: 'paragraph', text }])?.[2]?.text).toBe(shown)
  })

  it.each(['أمينة', 'አማና', '🎁', 'Łucja', '1 ≠ 2', '你好'])(
    'is not written for %j, which its fonts lack',
    (text) => {
      expect(render([{ kind: 'paragraph', text }])).toBeNull()
      expect(render([{ kind: 'rows', rows: [{ label: text, value: '' }] }])).toBeNull()
      expect(render([{ kind: 'rows', rows: [{ label: '', value: text }] }])).toBeNull()
      expect(render([], text)).toBeNull()
    },
  )
})

describe('hostile text', () => {
  const createBlocks = (text: string): PrintableBlock[] => [
    { kind: 'paragraph', text },
    { kind: 'quote', text },
    { kind: 'rows', rows: [{ label: text, value: text }] },
    { kind: 'heading', text },
    { kind: 'rows', rows: [{ label: text, value: 'KSH 1', isStrong: true }] },
  ]

  it.each(HOSTILE_TEXTS.map((text) => [text.slice(0, 40), text]))('%j gives a valid file', (_start, text) => {
    expectToFit(render(createBlocks(text), text)?.pages ?? [])
  })

  it('gives a valid file if the fonts have its characters', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '\\',
        '(',
        ')',
        '\r',
        '\n',
        ' ',
        '\t',
        '\0',
        '\u00a0',
        '\u2060',
        '\u2028',
        '\ud800',
        '%',
      ),
      fc.constantFrom(
        'ĩ',
        'ũ',
        'é',
        'ÿ',
        '€',
        '’',
        '×',
        '\u0301',
        'stream\n',
        'endobj',
        '\\051',
        'word'.repeat(40),
      ),
      fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
        const rendered = render(createBlocks(text), text)
        expect(rendered).not.toBeNull()
        expectToFit(rendered?.pages ?? [])
      }),
      { numRuns: 50 },
    )
  })

  it('gives a valid file or none', () => {
    fc.assert(
      fc.property(anyCharacters, (text) => expectToFit(render(createBlocks(text), text)?.pages ?? [])),
    )
  })
})
