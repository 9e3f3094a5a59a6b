import { describe, expect, it } from 'vitest'
import { findFailures, formatLog } from './print-log.ts'

const request = {
  level: 'info',
  at: '2026-11-21T06:05:07.000Z',
  requestId: '5f3a',
  method: 'GET',
  path: '/products',
  status: 200,
  ms: 12,
}

describe('the log of a local shop', () => {
  it('shows a request as one row', () => {
    expect(formatLog(JSON.stringify(request))).toMatch(
      /^\d\d:\d\d:\d\d {2}200 {2}GET {3}\/products {19}12 ms {2}5f3a$/,
    )
  })

  it('keeps a path with line breaks and control characters in one row', () => {
    const path = '/x\n09:05:07  200  GET   /forged\u001b[2J\u202e'
    const text = formatLog(JSON.stringify({ ...request, path }))
    expect(text.split('\n')).toHaveLength(1)
    expect(text).toContain(String.raw`/x\u000a09:05:07`)
    expect(text).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(formatLog('plain \u001b[2J text')).toBe(String.raw`plain \u001b[2J text`)
  })

  it('shows failures below the request', () => {
    const [row, ...failure] = formatLog(
      JSON.stringify({ ...request, level: 'error', status: 500, failures: ['Error: no\n  at here'] }),
    ).split('\n')
    expect(row).toContain('500')
    expect(failure).toEqual(['          Error: no', '            at here'])
  })

  it('escapes user input in failures', () => {
    const failures = ['Failed query: insert\nparams: \u001b[2Jkanga\u202egnp.exe']
    expect(formatLog(JSON.stringify({ ...request, failures }))).toContain(
      'params: \\u001b[2Jkanga\\u202egnp.exe',
    )
  })

  it('shows a failure once, with relative paths and without package stack frames', () => {
    const failure = `Error: no\n    at page (${process.cwd()}/src/page.tsx:1:2)\n    at render (${process.cwd()}/node_modules/react/index.js:3:4)`
    const message = JSON.stringify({ ...request, status: 500, failures: [failure, failure] })
    expect(findFailures(message)).toEqual(['Error: no\n    at page (src/page.tsx:1:2)'])
    expect(formatLog(message).split('\n')).toHaveLength(3)
  })

  it('shows the fields of other structured lines', () => {
    const line = {
      level: 'info',
      at: request.at,
      emailId: 'abc',
      kind: 'password-reset',
      attempt: 1,
      outcome: 'sent',
    }
    expect(formatLog(JSON.stringify(line))).toMatch(
      /^\d\d:\d\d:\d\d {2}emailId abc {2}kind password-reset {2}attempt 1 {2}outcome sent$/,
    )
  })

  it.each(['plain text', '{not json', '{"a":1}'])('leaves %s unchanged', (message) => {
    expect(formatLog(message)).toBe(message)
  })
})
