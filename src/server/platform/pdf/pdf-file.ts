export const PAGE_WIDTH = 595
export const PAGE_HEIGHT = 842

const FIRST_CODE = 0x20
const LAST_CODE = 0xff
const CHARACTERS_80_TO_9F = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

/** The codes of WinAnsiEncoding. */
const codes = new Map(
  Array.from({ length: LAST_CODE - FIRST_CODE + 1 }, (_, index) => {
    const code = FIRST_CODE + index
    return [CHARACTERS_80_TO_9F[code - 0x80] ?? String.fromCharCode(code), code]
  }),
)

/** Widths in thousandths of the font size, from Adobe's metrics (AFM), by code from {@link FIRST_CODE}. */
const WIDTHS = {
  Helvetica: [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0, 556, 0, 222, 556, 333, 1000, 556, 556, 333,
    1000, 667, 333, 1000, 0, 611, 0, 0, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 0, 500,
    667, 278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333, 400, 584, 333, 333,
    333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611, 667, 667, 667, 667, 667, 667, 1000, 722, 667,
    667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667,
    667, 611, 556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
  ],
  'Helvetica-Bold': [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278,
    556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584,
    556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556,
    333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584, 0, 556, 0, 278, 556, 500, 1000, 556, 556, 333,
    1000, 667, 333, 1000, 0, 611, 0, 0, 278, 278, 500, 500, 350, 556, 1000, 333, 1000, 556, 333, 944, 0, 500,
    667, 278, 333, 556, 556, 556, 556, 280, 556, 333, 737, 370, 556, 584, 333, 737, 333, 400, 584, 333, 333,
    333, 611, 556, 278, 333, 333, 365, 556, 834, 834, 834, 611, 722, 722, 722, 722, 722, 722, 1000, 722, 667,
    667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667,
    667, 611, 556, 556, 556, 556, 556, 556, 889, 556, 556, 556, 556, 556, 278, 278, 278, 278, 611, 611, 611,
    611, 611, 611, 611, 584, 611, 611, 611, 611, 611, 556, 611, 556,
  ],
  'Times-Bold': [
    250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500, 500, 500,
    500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722, 722, 667, 611, 778, 778, 389,
    500, 778, 667, 944, 722, 778, 611, 778, 722, 556, 667, 722, 722, 1000, 722, 722, 667, 333, 278, 333, 581,
    500, 333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556, 278, 833, 556, 500, 556, 556, 444, 389,
    333, 556, 500, 722, 500, 500, 444, 394, 220, 394, 520, 0, 500, 0, 333, 500, 500, 1000, 500, 500, 333,
    1000, 556, 333, 1000, 0, 667, 0, 0, 333, 333, 500, 500, 350, 500, 1000, 333, 1000, 389, 333, 722, 0, 444,
    722, 250, 333, 500, 500, 500, 500, 220, 500, 333, 747, 300, 500, 570, 333, 747, 333, 400, 570, 300, 300,
    333, 556, 540, 250, 333, 300, 330, 500, 750, 750, 750, 500, 722, 722, 722, 722, 722, 722, 1000, 722, 667,
    667, 667, 667, 389, 389, 389, 389, 722, 722, 778, 778, 778, 778, 778, 570, 778, 722, 722, 722, 722, 722,
    611, 556, 500, 500, 500, 500, 500, 500, 722, 444, 444, 444, 444, 444, 278, 278, 278, 278, 500, 556, 500,
    500, 500, 500, 500, 570, 500, 556, 556, 556, 556, 500, 556, 500,
  ],
}

/** PDF readers provide these fonts, so the file doesn't embed them. */
export type PdfFont = keyof typeof WIDTHS

/**
 * Replaces characters that the fonts lack with similar ones: `ĩ` becomes `i`, and a minus sign becomes a dash. Removes
 * invisible characters. Line breaks become `\n`.
 */
export function toPrintable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\r\n|[\r\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll('−', '–')
    .replace(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .replace(/[\p{L}\p{Mn}]/gu, (letter) =>
      codes.has(letter) ? letter : letter.normalize('NFD').replace(/\p{Mn}/gu, ''),
    )
}

/** Whether the fonts have every character of the text, after {@link toPrintable}. */
export function isPrintable(text: string): boolean {
  return Array.from(toPrintable(text)).every((character) => codes.has(character) || character === '\n')
}

/** Returns the width of a line, in the unit of `size`. */
export function measureText(text: string, font: PdfFont, size: number): number {
  let width = 0
  for (const character of text) width += WIDTHS[font][encode(character) - FIRST_CODE] ?? 0
  return (width * size) / 1000
}

function encode(character: string): number {
  return codes.get(character === NO_BREAK_SPACE ? ' ' : character) ?? QUESTION_MARK
}

const NO_BREAK_SPACE = '\u00a0'
const QUESTION_MARK = 0x3f

type Text = { text: string; x: number; y: number; font: PdfFont; size: number; colour: string }

/** `y` is the baseline. A page's origin is its lower left corner. */
export function drawText({ text, x, y, font, size, colour }: Text): string {
  return `BT ${toRgb(colour)} rg /${font} ${size} Tf ${round(x)} ${round(y)} Td (${escapeText(text)}) Tj ET`
}

/** Escapes backslashes, parentheses and characters outside ASCII as octal codes. */
function escapeText(text: string): string {
  return text.replace(/[^ -~]|[\\()]/g, (character) => `\\${encode(character).toString(8).padStart(3, '0')}`)
}

type Rectangle = { x: number; y: number; width: number; height: number; colour: string }

export function drawRectangle({ x, y, width, height, colour }: Rectangle): string {
  return `${toRgb(colour)} rg ${[x, y, width, height].map(round).join(' ')} re f`
}

type DashedLine = { x: number; y: number; width: number; colour: string }

export function drawDashedLine({ x, y, width, colour }: DashedLine): string {
  return `q ${toRgb(colour)} RG 1.5 w [4.5 3] 0 d ${x} ${y} m ${x + width} ${y} l S Q`
}

function toRgb(colour: string): string {
  const parts = colour.match(/[\da-f]{2}/g) ?? []
  return parts.map((part) => round(Number.parseInt(part, 16) / 0xff)).join(' ')
}

const round = (value: number) => Number(value.toFixed(3))

/** Writes a PDF 1.4 file (ISO 32000-1, § 7.5). `pages` contains the operators of each page. */
export function createPdfFile(title: string, pages: readonly string[]): Uint8Array<ArrayBuffer> {
  const fonts = Object.keys(WIDTHS)
  const firstFont = 4
  const firstPage = firstFont + fonts.length
  const fontEntries = fonts.map((name, index) => `/${name} ${firstFont + index} 0 R`).join(' ')
  const kids = pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}] /Resources << /Font << ${fontEntries} >> >> >>`,
    `<< /Title ${toHexString(title)} >>`,
    ...fonts.map((name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`),
    ...pages.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${firstPage + 2 * index + 1} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ]
  // The file is ASCII, so a position in the string is an offset in bytes.
  let file = '%PDF-1.4\n'
  const entries = objects.map((object, index) => {
    const offset = String(file.length).padStart(10, '0')
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${offset} 00000 n \n`
  })
  const size = objects.length + 1
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return new TextEncoder().encode(file + xref + trailer)
}

/** Encodes a string of the document's information, in UTF-16. */
function toHexString(text: string): string {
  const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return `<feff${units.join('')}>`
}
