import { describe, expect, it } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { shop, shopProfile } from '#shared/shop.ts'
import { newMessage, postMessage, selectMessages, withFailingOutbox } from '#test/support/contact.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postForm as postPage } from '#test/support/posting.ts'

describe('the contact form without JavaScript', () => {
  const postForm = (fields: Record<string, string>, ctx: ServiceContext = testContext()) =>
    postPage(ctx, '/contact', fields)

  it('stores the message, notifies the shop and shows the success panel', async () => {
    const ctx = testContext()
    const message = newMessage()
    const response = await postForm(message, ctx)
    await expectStatus(response, 200)
    expect(await response.text()).toMatch(/<form action="\/contact">.+>Send Another Message</)
    await ctx.backgroundDone()
    expect(await selectMessages(message.email)).toMatchObject([message])
    expect(ctx.emails).toHaveLength(1)
  })

  it('is shown with the other ways to contact the shop', async () => {
    const html = await (await get(testContext(), '/contact')).text()
    for (const link of [`mailto:${shop.email}`, shopProfile.social, shopProfile.code, shopProfile.calendar])
      expect(html).toContain(`href="${link}"`)
  })

  it('stores the same message once when it is also sent with JavaScript', async () => {
    const message = { ...newMessage(), message: 'Habari yako?\nAsante sana.' }
    await postMessage(message)
    await postForm({ ...message, message: 'Habari yako?\r\nAsante sana.' })
    expect(await selectMessages(message.email)).toHaveLength(1)
  })

  it('shows the submitted values and every error if they are invalid', async () => {
    const response = await postForm({ name: 'W<b>', email: 'wanjiru@', message: ' ' })
    await expectStatus(response, 400)
    const html = await response.text()
    expect(html).toContain('value="W&lt;b&gt;"')
    expect(html).toContain('value="wanjiru@"')
    expect(html).toContain('Please enter a valid email address')
    expect(html).toContain('Message is required')
    expect(html).not.toContain('Name is required')
  })

  it('is rate limited like the API and keeps the submitted values', async () => {
    const ctx = testContext({ limits: { ...testContext().limits, writes: async () => false } })
    const message = newMessage()
    const response = await postForm(message, ctx)
    await expectStatus(response, 429)
    expect(response.headers.get('Retry-After')).toBe('60')
    const html = await response.text()
    expect(html).toContain('Too many attempts.')
    expect(html).toContain(`value="${message.email}"`)
    expect(await selectMessages(message.email)).toEqual([])
  })

  it('reports an outage and keeps the submitted values', async () => {
    const message = newMessage()
    const response = await withFailingOutbox(message.email, () => postForm(message))
    await expectStatus(response, 503)
    const html = await response.text()
    expect(html).toContain('is temporarily unavailable')
    expect(html).toContain(`value="${message.email}"`)
  })

  it('marks a message as suspicious if the honeypot is filled in', async () => {
    const message = newMessage()
    const response = await postForm({ ...message, leave_empty: 'https://spam.example' })
    await expectStatus(response, 200)
    expect(await selectMessages(message.email)).toMatchObject([{ isSuspicious: true }])
  })
})
