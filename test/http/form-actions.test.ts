import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { formActions } from '#server/form-actions.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'

const { contact } = formActions

beforeEach(() => {
  formActions.contact = {
    submit: async ({ field }) => {
      const name = field('name')
      if (name === 'go') return { ok: true, data: { redirectTo: '/about' } }
      return name === 'done' ? { ok: true, data: {} } : { ok: false, error: { code: 'invalid_fields' } }
    },
    pageData: async (field, error, load) => ({
      ...(await load()),
      posted: {
        values: { name: field('name') },
        outcome: error
          ? { kind: 'failed', code: error.code, message: 'No </script> good.', errors: {} }
          : { kind: 'done' },
      },
    }),
  }
})
afterEach(() => {
  formActions.contact = contact
})

function post(body: BodyInit, headers: Record<string, string> = {}) {
  return createApp(testContext()).request('https://pamba.test/contact', { method: 'POST', body, headers })
}
const form = (fields: Record<string, string>) => new URLSearchParams(fields)

describe('a form posted to its page', () => {
  it('gets the page back, with the outcome in its data', async () => {
    const response = await post(form({ name: 'Ünal <b>', secret: 'x' }))
    await expectStatus(response, 400)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    const html = await response.text()
    expect(html).toContain('value="Ünal &lt;b&gt;"')
    expect(html).toContain('"message":"No \\u003c/script> good."')
  })

  it('is redirected with 303 if its action asks for it', async () => {
    const response = await post(form({ name: 'go' }))
    await expectStatus(response, 303)
    expect(response.headers.get('Location')).toBe('/about')
  })

  it('can be multipart', async () => {
    const body = new FormData()
    body.set('name', 'done')
    await expectStatus(await post(body), 200)
  })

  it.each<[string, BodyInit, Record<string, string>, number]>([
    ['another content type', '{}', { 'Content-Type': 'application/json' }, 400],
    ['a broken multipart body', 'nonsense', { 'Content-Type': 'multipart/form-data' }, 400],
    ['more than 64 KiB', form({ name: 'x'.repeat(70_000) }), {}, 413],
    ['another origin', form({ name: 'done' }), { Origin: 'https://elsewhere.test' }, 403],
  ])('is refused with an error page if it has %s', async (_, body, headers, status) => {
    const response = await post(body, headers)
    await expectStatus(response, status)
    expect(response.headers.get('Content-Type')).toContain('text/html')
  })

  it('has an empty value for a file or a missing field, and can’t set one through __proto__', async () => {
    const body = new FormData()
    body.set('name', new File(['done'], 'name'))
    body.set('__proto__', 'done')
    await expectStatus(await post(body), 400)
    await expectStatus(await post(form({})), 400)
  })
})

describe('unsupported methods and unknown paths', () => {
  it.each([
    ['POST', '/about', 405, 'GET, HEAD'],
    ['PUT', '/products', 405, 'GET, HEAD'],
    ['DELETE', '/contact', 405, 'GET, HEAD, POST'],
    ['POST', '/nowhere', 404, null],
  ])('get an error page: %s %s', async (method, path, status, allowed) => {
    const response = await createApp(testContext()).request(`https://pamba.test${path}`, { method })
    await expectStatus(response, status)
    expect(response.headers.get('Allow')).toBe(allowed)
    expect(response.headers.get('Content-Type')).toContain('text/html')
  })
})
