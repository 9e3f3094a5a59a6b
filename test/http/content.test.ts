import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { createFixedCatalogue } from '#server/catalogue/published-catalogue.ts'
import { createPublishedContent } from '#server/content/content-source.ts'
import { parseMarkdown, parseMarkdownLine } from '#server/content/markdown.ts'
import { hashPassword } from '#server/platform/auth/passwords.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { DAY_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { readText } from '#test/support/pdf.ts'
import items from '../../public/Items.json'

const ORIGIN = 'https://pamba.test'

const text = (markdown: string) => ({ markdown, nodes: parseMarkdown(markdown) })
const createBanner = (markdown: string, fromDay = '', untilDay = '') => ({
  markdown,
  nodes: parseMarkdownLine(markdown),
  fromDay,
  untilDay,
})

async function createShopWith(values: object) {
  let nowMs = NOW_MS
  const source = await createFixedCatalogue(JSON.stringify(items), JSON.stringify(values))
  const content = createPublishedContent(source)
  const ctx = testContext({
    catalogue: source,
    publishedCatalogue: source,
    content,
    clock: () => nowMs,
  })
  const pageCache = createPageCache(ctx)
  const app = createApp(ctx, pageCache)
  const request = async (path: string, headers: Record<string, string> = {}, body?: string) => {
    const incoming = new Request(ORIGIN + path, { headers, ...(body && { method: 'POST', body }) })
    return pageCache.respond(incoming) ?? (await app.fetch(incoming))
  }
  return {
    ctx,
    request,
    read: async (path: string, headers?: Record<string, string>) => (await request(path, headers)).text(),
    advanceClock: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('the owner’s texts', () => {
  it('replace the defaults on the pages, in their data and in the file for the browser', async () => {
    const { read } = await createShopWith({
      returns: text('Within **30** days. [Email us](mailto:a@b.example)\n\n- Unworn\n- <b>Unwashed</b>'),
      hours: text('Monday to Saturday, 9 am to 6 pm'),
      story: text('It began with a dress.'),
      philosophy: text('Slow clothes.'),
      sizes: text('Our dresses run small.'),
      deliveryTime: { text: '1 to 3 days' },
    })
    expect(await read('/product/1')).toContain('Free delivery in 1 to 3 days')
    const contact = await read('/contact')
    expect(contact).toContain(
      '<p>Within <strong>30</strong> days. <a href="mailto:a@b.example">Email us</a></p><ul><li>Unworn</li><li>&lt;b&gt;Unwashed&lt;/b&gt;</li></ul>',
    )
    expect(contact).not.toContain('Wrong fit or changed your mind?')
    expect(contact).toContain('We’ll email you when your order is packed')
    expect(contact).toMatch(/Opening hours<\/h2><p>Monday to Saturday, 9\u00a0am to 6\u00a0pm/)
    const about = await read('/about')
    for (const words of [
      'It began with a dress.',
      'Slow clothes.',
      'Our dresses run small.',
      'We store only',
    ])
      expect(about).toContain(words)
    expect(about).not.toContain('A favourite dress')
    const file = JSON.parse(await read('/content.json'))
    const [, block = ''] = /id="page-data">(.*?)<\/script>/s.exec(about) ?? []
    expect(file).toMatchObject(JSON.parse(block))
  })

  it('are replaced by the defaults where they are missing, unknown or invalid', async () => {
    const { read } = await createShopWith({
      returns: { markdown: 'x', nodes: [['script', ['alert(1)']]] },
      delivery: { markdown: 'x', nodes: [['a', ['x'], 'javascript:alert(1)']] },
      privacy: 'x',
      unknown: 1,
      featured: ['one'],
      hero: { image: '/\\evil.example/x.png', alt: 'x' },
      banner: createBanner('Closed', '2026-02-30'),
    })
    const plain = createApp(testContext())
    for (const path of ['/', '/contact', '/about'])
      expect(await read(path)).toBe(await (await plain.request(ORIGIN + path)).text())
    expect(await read('/contact')).toContain('Send it to us by courier at your own cost.')
  })

  it('are served as a file that browsers revalidate', async () => {
    const { request } = await createShopWith({})
    const first = await request('/content.json')
    const tag = first.headers.get('ETag') ?? ''
    expect(first.headers.get('Content-Type')).toBe('application/json')
    expect((await request('/content.json', { 'If-None-Match': `W/${tag}` })).status).toBe(304)
  })
})

describe('the banner', () => {
  it('shows from its first day to its last on the shop’s clock, including on cached pages', async () => {
    // Midnight in Nairobi is 21:00 UTC.
    const closed = createBanner('Closed **24–26 December**', '2026-11-22', '2026-11-23')
    const { read, advanceClock } = await createShopWith({ banner: closed })
    const strip =
      '<aside class="announcement" aria-label="Announcement"><p>Closed <strong>24–26 December</strong></p></aside><div id="root">'
    const midnightMs = Date.UTC(2026, 10, 21, 21)
    for (const [ms, isShown] of [
      [NOW_MS, false],
      [midnightMs - 1000, false],
      [midnightMs, true],
      [midnightMs + 2 * DAY_MS - 1000, true],
      [midnightMs + 2 * DAY_MS, false],
    ] as const) {
      advanceClock(ms - NOW_MS)
      for (const path of ['/', '/products', '/product/1', '/about', '/contact', '/login', '/nowhere'])
        expect([ms, path, (await read(path)).includes(strip)]).toEqual([ms, path, isShown])
      advanceClock(NOW_MS - ms)
    }
  })

  it('without dates shows immediately and doesn’t expire', async () => {
    const { read, advanceClock, ctx } = await createShopWith({
      banner: createBanner('New [sandals](/products?q=sandals)'),
    })
    const { cookie } = await createAccount(ctx)
    expect(await read('/dashboard', cookie)).toContain('<p>New <a href="/products?q=sandals">sandals</a></p>')
    advanceClock(1000 * DAY_MS)
    expect(await read('/')).toContain('New <a')
  })
})

describe('the owner’s settings', () => {
  it('put the shop’s email address in emails, receipts, security.txt and errors', async () => {
    const links = { social: 'https://s.example', code: 'https://c.example', calendar: 'https://d.example' }
    const email = 'karibu@pamba.example'
    const { ctx, read, request } = await createShopWith({
      contact: { email, phone: '', whatsapp: '', ...links },
    })
    const password = 'a-good-Passw0rd'
    const shopper = await createAccount(ctx, { passwordHash: await hashPassword(password, ctx) })
    const { body } = await postOrder(ctx, shopper, orderRequest())
    await ctx.backgroundDone()
    const sentEmail = ctx.emails.find(({ kind }) => kind === 'order-confirmation')
    expect(sentEmail).toMatchObject({
      replyTo: email,
      text: expect.stringMatching(/Nairobi\nkaribu@pamba.example\n$/),
    })
    expect(sentEmail?.html).toContain(`<a href="mailto:${email}"`)
    const path = `/order/${body.order.number}/receipt`
    const receipt = await readText(await request(path, shopper.cookie))
    expect(receipt).toMatch(/Nairobi karibu@pamba.example$/)
    expect(await read('/.well-known/security.txt')).toContain(`Contact: mailto:${email}`)
    const deletion = await request(
      '/api/account/delete',
      {
        ...shopper.bearer,
        'Content-Type': 'application/json',
      },
      JSON.stringify({ password }),
    )
    expect(await deletion.json()).toMatchObject({
      message: expect.stringContaining(`please email ${email}.`),
    })
    for (const text of [sentEmail?.text, sentEmail?.html, receipt])
      expect(text).not.toMatch(/hello@pamba|%[A-Z_]+%/)
  })

  it('set the hero picture, contact details, featured products and search words', async () => {
    const { read, ctx } = await createShopWith({
      hero: { image: '/photos/abcdefgh123/640.jpg', alt: 'Two sisters in kikoi dresses' },
      featured: [44, 999_999, 2],
      searchWords: [{ words: ['mavazi ya mtoto'], finds: ['romper'] }],
      contact: {
        email: 'karibu@pamba.example',
        phone: '0712 345 678',
        whatsapp: '254712345678',
        social: 'https://s.example/p',
        code: 'https://c.example/p',
        calendar: 'https://d.example/p',
      },
    })
    const home = await read('/')
    expect(home).toMatch(/alt="Two sisters in kikoi dresses"[^>]*srcSet="\/photos\/abcdefgh123\/320 320w/)
    expect(home.match(/"email":"karibu@pamba.example"/g)).toHaveLength(2)
    expect(home).not.toContain('hello@pamba.example')
    const contact = await read('/contact')
    for (const href of ['mailto:karibu@pamba.example', 'tel:0712345678', 'https://wa.me/254712345678'])
      expect(contact).toContain(`href="${href}"`)
    expect(contact).not.toContain('hello@pamba.example')
    const { cookie } = await createAccount(ctx)
    const featured = [...(await read('/dashboard', cookie)).matchAll(/featured__card" href="(.*?)"/g)]
    expect(featured.map(([, href]) => href)).toEqual(['/product/44', '/product/2'])
    expect(await read('/products?q=mavazi+ya+mtoto')).toContain('romper')
    expect(await read('/products?q=gauni')).not.toMatch(/href="\/product\/\d/)
  })
})
