import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { testDeps } from '#test/support/deps.ts'

async function home(chatScript?: string) {
  const deps = testDeps()
  if (chatScript) deps.config = { ...deps.config, CHAT_SCRIPT_URL: chatScript }
  const response = await createApp(deps).request('https://pamba.test/')
  const policy = response.headers.get('content-security-policy') ?? ''
  return { html: await response.text(), directives: policy.split('; ') }
}

describe('the chat widget', () => {
  it('is told to the page, and its origin alone is admitted by the policy', async () => {
    const { html, directives } = await home('https://chat.example/v2/widget.js')
    expect(html).toContain('"chatScript":"https://chat.example/v2/widget.js"')
    expect(directives).toContain("script-src 'self' https://chat.example")
    expect(directives).toContain('frame-src https://chat.example')
  })

  it('leaves no trace where none is configured', async () => {
    const { html, directives } = await home()
    expect(html).not.toContain('chatScript')
    expect(directives).toContain("script-src 'self'")
    expect(directives).toContain("frame-src 'none'")
  })
})
