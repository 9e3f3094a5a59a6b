import type { PrintableBlock } from '#server/platform/email/layout.ts'
import { colours } from '#shared/colours.ts'
import type { ContactDetails } from '#shared/content/content.ts'
import { shop } from '#shared/shop.ts'
import {
  createPdfFile,
  drawDashedLine,
  drawRectangle,
  drawText,
  isPrintable,
  measureText,
  PAGE_HEIGHT,
  PAGE_WIDTH,
  type PdfFont,
  toPrintable,
} from './pdf-file.ts'

type TextStyle = { font: PdfFont; size: number; lineHeight: number; colour: string }

const BODY: TextStyle = { font: 'Helvetica', size: 11, lineHeight: 16, colour: colours.ink }
const STRONG: TextStyle = { ...BODY, font: 'Helvetica-Bold' }
const HEADING: TextStyle = { font: 'Times-Bold', size: 22, lineHeight: 28, colour: colours.ink }
const SHOP_NAME: TextStyle = { font: 'Times-Bold', size: 18, lineHeight: 24, colour: colours.clayDeep }
const SMALL: TextStyle = { font: 'Helvetica', size: 9.5, lineHeight: 14, colour: colours.inkSoft }

/** In points. Heights are whole numbers, so that adding and subtracting them leaves no rounding errors. */
export const MARGIN = 56
const TOP = PAGE_HEIGHT - MARGIN
const TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN
const BLOCK_GAP = 12
const ROW_PADDING = 5
const COLUMN_GAP = 16
const QUOTE_INDENT = 14
/** Keeps a paragraph that introduces a quote on the same page as the quote. */
const LINES_KEPT_BELOW_PARAGRAPH = 4

/** Lays out the blocks on A4 pages. Returns `null` if the PDF's fonts lack a character. */
export function renderPdf(
  heading: string,
  blocks: readonly PrintableBlock[],
  { email, phone }: Pick<ContactDetails, 'email' | 'phone'>,
): Uint8Array<ArrayBuffer> | null {
  const signature = [`${shop.name}, ${shop.city}`, email, phone].filter(Boolean).join('\n')
  const texts = [shop.name, heading, ...blocks.flatMap(listTexts), signature]
  if (!texts.every(isPrintable)) return null
  const column = createColumn()
  column.writeTitle(heading)
  for (const block of blocks) column.writeBlock(block)
  column.writeSignature(signature)
  const { pages } = column
  return createPdfFile(
    heading,
    pages.map((page, index) =>
      [...page, ...(pages.length > 1 ? [drawPageNumber(index + 1, pages.length)] : [])].join('\n'),
    ),
  )
}

function listTexts(block: PrintableBlock): string[] {
  return block.kind === 'rows' ? block.rows.flatMap(({ label, value }) => [label, value]) : [block.text]
}

function drawPageNumber(number: number, count: number): string {
  const text = `Page ${number} of ${count}`
  const x = PAGE_WIDTH - MARGIN - measureText(text, SMALL.font, SMALL.size)
  return drawText({ ...SMALL, text, x, y: MARGIN / 2 })
}

function createColumn() {
  const pages: string[][] = []
  /** The top of the next line, measured from the bottom of the page. */
  let y = 0

  function startPage() {
    pages.push([])
    y = TOP
  }

  /** Starts a new page if this one has too little room. A block that is taller than a page continues on the next. */
  function reserve(height: number) {
    if (y < TOP && y - height < MARGIN) startPage()
  }

  const draw = (operators: string) => pages.at(-1)?.push(operators)

  function writeLines(
    lines: readonly string[],
    style: TextStyle,
    place: { isQuote?: boolean; isRight?: boolean } = {},
  ) {
    const { font, size, lineHeight } = style
    for (const text of lines) {
      reserve(lineHeight)
      y -= lineHeight
      if (place.isQuote)
        draw(drawRectangle({ x: MARGIN, y, width: 2.5, height: lineHeight, colour: colours.marigold }))
      const indent = place.isQuote ? QUOTE_INDENT : 0
      const x = place.isRight ? PAGE_WIDTH - MARGIN - measureText(text, font, size) : MARGIN + indent
      if (text) draw(drawText({ ...style, text, x, y: y + lineHeight * 0.3 }))
    }
  }

  function writeTitle(text: string) {
    startPage()
    writeLines(wrapText(shop.name, SHOP_NAME, TEXT_WIDTH), SHOP_NAME)
    y -= 6
    draw(drawDashedLine({ x: MARGIN, y, width: TEXT_WIDTH, colour: colours.clay }))
    y -= 22
    writeLines(wrapText(text, HEADING, TEXT_WIDTH), HEADING)
    y -= BLOCK_GAP
  }

  function writeRow({ label, value, isStrong }: { label: string; value: string; isStrong?: boolean }) {
    const style = isStrong ? STRONG : BODY
    const values = wrapText(value, style, TEXT_WIDTH / 2)
    const valueWidth = Math.max(...values.map((line) => measureText(line, style.font, style.size)))
    const labels = wrapText(label, style, TEXT_WIDTH - valueWidth - COLUMN_GAP)
    reserve((labels.length + values.length - 1) * style.lineHeight + 2 * ROW_PADDING)
    y -= ROW_PADDING
    writeLines(labels, style)
    // The value is on the label's last line, so that screen readers and copied text have it after the whole label.
    y += style.lineHeight
    writeLines(values, style, { isRight: true })
    reserve(ROW_PADDING)
    y -= ROW_PADDING
    writeRule()
  }

  const writeRule = () =>
    draw(drawRectangle({ x: MARGIN, y, width: TEXT_WIDTH, height: 0.75, colour: colours.thread }))

  function writeBlock(block: PrintableBlock) {
    switch (block.kind) {
      case 'heading':
        writeTitle(block.text)
        return
      case 'rows':
        for (const row of block.rows) writeRow(row)
        break
      case 'paragraph': {
        const lines = wrapText(block.text, BODY, TEXT_WIDTH)
        reserve((lines.length + LINES_KEPT_BELOW_PARAGRAPH) * BODY.lineHeight)
        writeLines(lines, BODY)
        break
      }
      case 'quote':
        writeLines(wrapText(block.text, BODY, TEXT_WIDTH - QUOTE_INDENT), BODY, { isQuote: true })
    }
    y -= BLOCK_GAP
  }

  function writeSignature(text: string) {
    const lines = wrapText(text, SMALL, TEXT_WIDTH)
    y -= BLOCK_GAP
    reserve((lines.length + 1) * SMALL.lineHeight)
    writeRule()
    y -= SMALL.lineHeight / 2
    writeLines(lines, SMALL)
  }

  return { pages, writeTitle, writeBlock, writeSignature }
}

/** Breaks lines at spaces, and breaks words that are longer than a line. */
function wrapText(text: string, { font, size }: TextStyle, width: number): string[] {
  return toPrintable(text)
    .split('\n')
    .flatMap((paragraph) => {
      const lines: string[] = []
      let line = ''
      let lineWidth = 0
      const append = (part: string) => {
        const newWidth = lineWidth + measureText(part, font, size)
        if (newWidth > width) return false
        line += part
        lineWidth = newWidth
        return true
      }
      const breakLine = () => {
        if (line) lines.push(line)
        line = ''
        lineWidth = 0
      }
      for (const word of paragraph.split(/ +/)) {
        if (append(line ? ` ${word}` : word)) continue
        breakLine()
        for (const character of word) {
          if (append(character)) continue
          breakLine()
          append(character)
        }
      }
      return [...lines, line]
    })
}
