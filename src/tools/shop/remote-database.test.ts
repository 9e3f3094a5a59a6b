import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../command.ts'
import { inlineParams, reasonIn, rowsIn } from './remote-database.ts'

describe('the output of wrangler d1 execute', () => {
  it('is parsed as rows after other lines', () => {
    const printed = JSON.stringify([{ results: [{ a: 1 }], success: true, meta: {} }])
    expect(rowsIn(`Using config.\n${printed}`)).toEqual([[{ a: 1 }]])
  })

  it('is quoted in the error when it contains no rows', () => {
    expect(() => rowsIn('Segmentation fault')).toThrow('sent an unreadable response: Segmentation fault')
  })

  it('contains the reason of a failure', () => {
    expect(reasonIn('\n{ "error": { "text": "no such table: orders" } }\n')).toBe('no such table: orders')
    expect(reasonIn('command not found\n')).toBe('command not found')
  })
})

const sqlite = new DatabaseSync(':memory:')
const selected = (sql: string) => ({ ...sqlite.prepare(sql).get() })

describe('inlined parameters', () => {
  it('arrive unchanged, even hostile ones', () => {
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

  it('can be negative numbers, booleans and NULL', () => {
    expect(selected(inlineParams('SELECT 1 -? AS a, ? AS b, ? AS c, ? AS d', [-2, 1.5, null, true]))).toEqual(
      {
        a: 3,
        b: 1.5,
        c: null,
        d: 1,
      },
    )
  })

  it('do not replace question marks in quotes', () => {
    expect(selected(inlineParams(`SELECT 'it''s ?' AS "why?", ? AS a`, ['!']))).toEqual({
      'why?': "it's ?",
      a: '!',
    })
  })

  it.each([['a\0b'], [Number.NaN], [Number.POSITIVE_INFINITY], [undefined], [{}]])(
    'cannot be %o',
    (value) => {
      expect(() => inlineParams('SELECT ?', [value])).toThrow(ToolError)
    },
  )

  it.each([[[]], [['a', 'b']]])('must match the number of placeholders', (params) => {
    expect(() => inlineParams('SELECT ?', params)).toThrow(/placeholders/)
  })
})
