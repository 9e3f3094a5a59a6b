import { describe, expect, it } from 'vitest'
import { reasonIn, rowsIn } from './remote-database.ts'

describe('what wrangler prints about a remote database', () => {
  it('is read as rows, whatever stands before them', () => {
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
