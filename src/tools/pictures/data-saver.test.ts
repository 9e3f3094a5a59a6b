import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { simplifyDrawing } from './data-saver.ts'

const FOLDER = 'public/images/products'
const ROOT = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 400" fill="none" stroke-width="1.7">'
const own = (content: string) => `${ROOT}${content}</svg>`

describe('a simplified drawing', () => {
  it('keeps shapes and their patterns, and leaves out shades, seams and what only they needed', () => {
    const drawing = own(
      '<defs><radialGradient id="S"><stop/></radialGradient><pattern id="a"><path d="M0 0h8"/></pattern>' +
        '<clipPath id="b_"><path id="b" d="M10 10h20v20z"/></clipPath></defs>' +
        '<ellipse rx="9" fill="url(#S)"/><use href="#b" fill="url(#a)"/>' +
        '<g clip-path="url(#b_)"><use href="#b" stroke="#000" stroke-opacity=".1"/></g>' +
        '<path d="M1 1h5" stroke="#000" stroke-width="4" stroke-dasharray="2 2"/><path d="M1 1h5" stroke="#000" stroke-width="5"/>',
    )
    expect(simplifyDrawing(drawing)).toBe(
      own(
        '<defs><pattern id="a"><path d="M0 0h8"/></pattern><path id="b" d="M10 10h20v20z"/></defs>' +
          '<use href="#b" fill="url(#a)"/><path d="M1 1h5" stroke="#000" stroke-width="5"/>',
      ),
    )
  })

  it('has whole numbers, and rounding errors do not accumulate', () => {
    const path = (d: string) => own(`<path fill="#000" d="${d}"/>`)
    expect(simplifyDrawing(path('M.4.4l.4.4.4.4.4.4h.4.4v-1.6zl5-.4M3.6 9.5'))).toBe(
      path('M0 0l1 1 0 0 1 1h0 0v-2zl5 0M4 10'),
    )
  })

  it('is unchanged where it is not one of this project', () => {
    const icon = '<svg viewBox="0 0 24 24" stroke-width="2"><path d="M1.5 1h5" stroke="#000"/></svg>'
    expect(simplifyDrawing(icon)).toBe(icon)
  })

  it('of each product weighs a third less on average', () => {
    const drawings = readdirSync(FOLDER).map((file) => readFileSync(path.join(FOLDER, file), 'utf8'))
    const weight = (svgs: readonly string[]) => svgs.reduce((sum, svg) => sum + gzipSync(svg).byteLength, 0)
    expect(weight(drawings.map(simplifyDrawing)) / weight(drawings)).toBeLessThan(0.67)
  })
})
