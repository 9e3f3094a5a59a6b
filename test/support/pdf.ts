export type PdfLine = { text: string; font: string; size: number; x: number; y: number }

type PdfPage = { lines: PdfLine[]; rectangles: { x: number; y: number; width: number; height: number }[] }

const LINE_PATTERN = /^BT .* \/([\w-]+) ([\d.]+) Tf (-?[\d.]+) (-?[\d.]+) Td \((.*)\) Tj ET$/gm
const RECTANGLE_PATTERN = /^.* rg (.+) re f$/gm
const CHARACTER_PATTERN = /\\(\d{3})|(.)/g

/** Reads the pages of a file that our own code has written. Throws if the file is invalid. */
export function readPdfPages(bytes: Uint8Array): PdfPage[] {
  const objects = readPdfObjects(bytes)
  const find = (number: string | undefined) => objects[Number(number) - 1] ?? ''
  const [, kids = ''] = /\/Kids \[(.*?)\]/.exec(find('2')) ?? []
  return Array.from(kids.matchAll(/(\d+) 0 R/g), ([, page]) => {
    const [, contents] = /\/Contents (\d+) 0 R/.exec(find(page)) ?? []
    const stream = readStream(find(contents))
    return {
      lines: Array.from(stream.matchAll(LINE_PATTERN), ([, font = '', size, x, y, text = '']) => ({
        text: decodeText(text),
        font,
        size: Number(size),
        x: Number(x),
        y: Number(y),
      })),
      rectangles: Array.from(stream.matchAll(RECTANGLE_PATTERN), ([, numbers = '']) => {
        const [x = 0, y = 0, width = 0, height = 0] = numbers.split(' ').map(Number)
        return { x, y, width, height }
      }),
    }
  })
}

/** Reads the objects by the file's table of offsets. Throws if the table is wrong. */
export function readPdfObjects(bytes: Uint8Array): string[] {
  const file = new TextDecoder('windows-1252').decode(bytes)
  const [, start] = /startxref\n(\d+)\n%%EOF\n$/.exec(file) ?? []
  const [, size, entries = ''] =
    /^xref\n0 (\d+)\n0{10} 65535 f \n((?:\d{10} 00000 n \n)*)trailer\n/.exec(file.slice(Number(start))) ?? []
  const offsets = Array.from(entries.matchAll(/^\d+/gm), ([offset]) => Number(offset))
  if (Number(size) !== offsets.length + 1 || !file.includes(`/Size ${size} `))
    throw new Error('The file has another number of objects.')
  return offsets.map((offset, index) => {
    const header = `${index + 1} 0 obj\n`
    if (!file.startsWith(header, offset)) throw new Error(`Object ${index + 1} isn’t at ${offset}.`)
    return file.slice(offset + header.length, file.indexOf('\nendobj\n', offset))
  })
}

function readStream(object: string): string {
  const [, length, stream = ''] = /^<< \/Length (\d+) >>\nstream\n(.*)\nendstream$/s.exec(object) ?? []
  if (Number(length) !== stream.length) throw new Error('The stream has another length.')
  return stream
}

function decodeText(text: string): string {
  const codes = Array.from(text.matchAll(CHARACTER_PATTERN), ([, octal, character = '']) =>
    octal ? Number.parseInt(octal, 8) : character.charCodeAt(0),
  )
  return new TextDecoder('windows-1252').decode(Uint8Array.from(codes))
}

/** Reads what a page or a PDF says. The lines of a PDF are joined with spaces. */
export async function readText(response: Response): Promise<string> {
  if (response.headers.get('Content-Type') !== 'application/pdf') return response.text()
  const pages = readPdfPages(await response.bytes())
  return pages.flatMap(({ lines }) => lines.map(({ text }) => text)).join(' ')
}
