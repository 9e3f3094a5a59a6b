import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { testContext } from '#test/support/context.ts'

async function open(path: string, chatScript?: string) {
  const ctx = testContext()
  if (chatScript) ctx.config = { ...ctx.config, CHAT_SCRIPT_URL: chatScript }
  const response = await createApp(ctx).request(`https://pamba.test${path}`)
  const policy = response.headers.get('content-security-policy') ?? ''
  return { html: await response.text(), directives: policy.split('; ') }
}

describe('the chat widget', () => {
  it('is told to the page, and its origin alone is admitted by the policy', async () => {
    const { html, directives } = await open('/', 'https://chat.example/v2/widget.js')
    expect(html).toContain('"chatScript":"https://chat.example/v2/widget.js"')
    expect(directives).toContain("script-src 'self' https://chat.example")
    expect(directives).toContain('frame-src https://chat.example')
  })

  it.each(['/products', '/product/1', '/about', '/contact', '/login', '/register', '/nowhere'])(
    'is neither told to %s nor admitted there',
    async (path) => {
      const { html, directives } = await open(path, 'https://chat.example/v2/widget.js')
      expect(html).not.toContain('chat.example')
      expect(directives.join()).not.toContain('chat.example')
      // Links to Home then load its document.
      expect(html).toContain('"isHomeApart":true')
    },
  )

  it('leaves no trace where none is configured', async () => {
    const { html, directives } = await open('/')
    expect(html).not.toMatch(/chatScript|isHomeApart/)
    expect(directives).toContain("script-src 'self'")
    expect(directives).toContain("frame-src 'none'")
  })
})
