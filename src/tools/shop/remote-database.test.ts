import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../command.ts'
import { inlineParams, reasonIn, rowsIn } from './remote-database.ts'

describe('what wrangler prints about a remote database', () => {
  it('is read as rows, whatever is before them', () => {
    const printed = JSON.stringify([{ results: [{ a: 1 }], success: true, meta: {} }])
    expect(rowsIn(`Using config.\n${printed}`)).toEqual([[{ a: 1 }]])
  })

  it('is refused in words when it is anything else', () => {
    expect(() => rowsIn('Segmentation fault')).toThrow('in a way that cannot be read: Segmentation fault')
  })

  it('gives its reason when it failed', () => {
    expect(reasonIn('\n{ "error": { "text": "no such table: orders" } }\n')).toBe('no such table: orders')
    expect(reasonIn('command not found\n')).toBe('command not found')
  })
})

const sqlite = new DatabaseSync(':memory:')
const selected = (sql: string) => ({ ...sqlite.prepare(sql).get() })

describe('values written into a statement', () => {
  it('arrive as they are, whatever they hold', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', ''))
    const hostile = fc
      .array(fc.constantFrom("'", '"', '?', ';', '--', '/*', '\\', '\n', "';DROP TABLE orders;--", 'x'), {
        maxLength: 12,
      })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(text, hostile), fc.oneof(text, hostile), (a, b) => {
        expect(selected(inlineParams('SELECT ? AS a, ? AS b', [a, b]))).toEqual({ a, b })
      }),
      { numRuns: 500 },
    )
  })

  it('arrive as numbers, also negative, and as NULL', () => {
    expect(selected(inlineParams('SELECT 1 -? AS a, ? AS b, ? AS c, ? AS d', [-2, 1.5, null, true]))).toEqual(
      {
        a: 3,
        b: 1.5,
        c: null,
        d: 1,
      },
    )
  })

  it('leave question marks in quotes alone', () => {
    expect(selected(inlineParams(`SELECT 'it''s ?' AS "why?", ? AS a`, ['!']))).toEqual({
      'why?': "it's ?",
      a: '!',
    })
  })

  it.each([['a\0b'], [Number.NaN], [Number.POSITIVE_INFINITY], [undefined], [{}]])('refuse %o', (value) => {
    expect(() => inlineParams('SELECT ?', [value])).toThrow(ToolError)
  })

  it.each([[[]], [['a', 'b']]])('must match the placeholders', (params) => {
    expect(() => inlineParams('SELECT ?', params)).toThrow(/placeholders/)
  })
})
