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
  it('is in Home’s data, and Home’s policy allows only its origin', async () => {
    const { html, directives } = await open('/', 'https://chat.example/v2/widget.js')
    expect(html).toContain('"chatScript":"https://chat.example/v2/widget.js"')
    expect(directives).toContain("script-src 'self' https://chat.example")
    expect(directives).toContain('frame-src https://chat.example')
  })

  it.each(['/products', '/product/1', '/about', '/contact', '/login', '/register', '/nowhere'])(
    'is neither in the data of %s nor allowed by its policy',
    async (path) => {
      const { html, directives } = await open(path, 'https://chat.example/v2/widget.js')
      expect(html).not.toContain('chat.example')
      expect(directives.join()).not.toContain('chat.example')
      // With this flag, links to Home load a new document, which has Home's policy.
      expect(html).toContain('"hasChatWidget":true')
    },
  )

  it('is absent from Home and its policy unless configured', async () => {
    const { html, directives } = await open('/')
    expect(html).not.toMatch(/chatScript|hasChatWidget/)
    expect(directives).toContain("script-src 'self'")
    expect(directives).toContain("frame-src 'none'")
  })
})
