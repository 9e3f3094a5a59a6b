import { describe, expect, it } from 'vitest'
import { failuresIn, readableLog } from './print-log.ts'

const request = {
  level: 'info',
  at: '2026-11-21T06:05:07.000Z',
  requestId: '5f3a',
  method: 'GET',
  path: '/products',
  status: 200,
  ms: 12,
}

describe('the terminal of a local shop', () => {
  it('shows a request as one row', () => {
    expect(readableLog(JSON.stringify(request))).toMatch(
      /^\d\d:\d\d:\d\d {2}200 {2}GET {3}\/products {19}12 ms {2}5f3a$/,
    )
  })

  it('shows a path that was made to look like other lines as one row', () => {
    const path = '/x\n09:05:07  200  GET   /forged\u001b[2J\u202e'
    const text = readableLog(JSON.stringify({ ...request, path }))
    expect(text.split('\n')).toHaveLength(1)
    expect(text).toContain(String.raw`/x\u000a09:05:07`)
    expect(text).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(readableLog('plain \u001b[2J text')).toBe(String.raw`plain \u001b[2J text`)
  })

  it('shows what failed below the request', () => {
    const [row, ...failure] = readableLog(
      JSON.stringify({ ...request, level: 'error', status: 500, failures: ['Error: no\n  at here'] }),
    ).split('\n')
    expect(row).toContain('500')
    expect(failure).toEqual(['          Error: no', '            at here'])
  })

  it('escapes what a failure quotes of a request', () => {
    const failures = ['Failed query: insert\nparams: \u001b[2Jkanga\u202egnp.exe']
    expect(readableLog(JSON.stringify({ ...request, failures }))).toContain(
      'params: \\u001b[2Jkanga\\u202egnp.exe',
    )
  })

  it('shows a failure once, with paths of the project and without frames of packages', () => {
    const failure = `Error: no\n    at page (${process.cwd()}/src/page.tsx:1:2)\n    at render (${process.cwd()}/node_modules/react/index.js:3:4)`
    const message = JSON.stringify({ ...request, status: 500, failures: [failure, failure] })
    expect(failuresIn(message)).toEqual({
      requestId: '5f3a',
      failures: ['Error: no\n    at page (src/page.tsx:1:2)'],
    })
    expect(readableLog(message).split('\n')).toHaveLength(3)
  })

  it('shows other lines by their fields', () => {
    const line = {
      level: 'info',
      at: request.at,
      mail: 'abc',
      kind: 'password-reset',
      attempt: 1,
      outcome: 'sent',
    }
    expect(readableLog(JSON.stringify(line))).toMatch(
      /^\d\d:\d\d:\d\d {2}mail abc {2}kind password-reset {2}attempt 1 {2}outcome sent$/,
    )
  })

  it.each(['plain text', '{not json', '{"a":1}'])('leaves %s as it is', (message) => {
    expect(readableLog(message)).toBe(message)
  })
})
