import { describe, expect, it } from 'vitest'
import { readLatestVersion, readPublishedCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { importDraft, publishFile } from '#server/catalogue/publish-draft.ts'
import { saveContent } from '#server/content/edit-content.ts'
import { formatSearchWords, parseSearchWords } from '#server/content/search-words-text.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import {
  auditLog,
  catalogueDraft,
  catalogueVersions,
  draftContent,
  draftProducts,
} from '#server/platform/db/schema.ts'
import { SEARCH_WORDS } from '#shared/catalogue/search-words.ts'
import { readPublishForm } from '#test/support/catalogue-office.ts'
import { createMemoryStore } from '#test/support/context.ts'
import { HOSTILE_TEXTS, takeNextShare } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import items from '../../public/Items.json'

async function openOffice() {
  const ctx = officeContext({
    catalogueStore: createMemoryStore(),
    shop: { fetch: async () => Response.json(items) },
  })
  const tables = [catalogueVersions, catalogueDraft, draftProducts, draftContent, auditLog] as const
  for (const table of tables) await ctx.db.delete(table)
  const client = await createOfficeClient(ctx)
  const findField = (html: string, name: string) =>
    new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? ''
  return {
    ...client,
    ctx,
    save: async (name: string, fields: Record<string, string>) => {
      const { text } = await client.get(`/content/${name}`)
      return client.post(`/content/${name}`, { seen: findField(text, 'seen'), ...fields })
    },
    publish: async () => {
      const { text } = await client.get('/catalogue/publish')
      const fields = { base: findField(text, 'base'), revision: findField(text, 'revision') }
      return client.post('/catalogue/publish', fields)
    },
    readPublished: async () => JSON.parse((await readPublishedCatalogue(ctx)).content ?? '{}'),
    readState: async (label: string) =>
      new RegExp(`>${label}</span><span class="mark[^>]*>([^<]*)`).exec(
        (await client.get('/content')).text,
      )?.[1],
  }
}

describe('content in the office', () => {
  it('goes from the default to a draft and a version, and back in one tap', async () => {
    const { get, post, save, publish, readPublished, readState, ctx } = await openOffice()
    expect(await readState('Returns')).toBe('Default')
    expect((await get('/content/returns')).text).toContain('Wrong fit or changed your mind?')
    expect((await save('returns', { text: 'Within **30** days.\r\n' })).location).toBe('/content?done=saved')
    expect(await readState('Returns')).toBe('In draft')
    expect((await get('/catalogue/preview/contact')).text).toContain(
      '<p>Within <strong>30</strong> days.</p>',
    )
    const { text } = await get('/catalogue/publish')
    expect(text).toMatch(/<summary>Returns<\/summary>.*Wrong fit.*Within \*\*30\*\* days\./s)
    expect(await readPublished()).toEqual({})
    expect((await publish()).status).toBe(303)
    expect(await readPublished()).toMatchObject({ returns: { markdown: 'Within **30** days.' } })
    expect(await readState('Returns')).toBe('Changed')

    await post('/content/returns/restore', {})
    expect(await readState('Returns')).toBe('In draft')
    await publish()
    expect([await readPublished(), await readState('Returns')]).toEqual([{}, 'Default'])
    await post('/catalogue/restore', { number: '2' })
    expect(await readState('Returns')).toBe('Changed')
    const actions = (await ctx.db.select().from(auditLog)).map(
      ({ action, subject }) => `${action} ${subject}`,
    )
    expect(actions).toEqual(expect.arrayContaining(['content.save Returns', 'content.restore Returns']))
  })

  it('includes the ways to pay, with a limit and counties', async () => {
    const { get, save, publish, readPublished, readState, post } = await openOffice()
    const { text: form } = await get('/content/payments')
    expect(form).not.toContain('checked=""')
    expect((await save('payments', {})).status).toBe(303)
    expect(await readState('Ways to pay')).toBe('Default')
    const fields = { cashOnDelivery: 'on', cashMaxKsh: 'KSH 10,000', payByHand: 'on' }
    await save('payments', { ...fields, 'county-Nairobi': 'on', 'county-Kisumu': 'on' })
    expect((await get('/content')).text).toContain(
      'Cash on delivery: up to KSH 10,000 in Nairobi, Kisumu · Payment from the M-Pesa menu: on',
    )
    const { text: saved } = await get('/content/payments')
    expect(saved).toContain('value="10,000"')
    expect(saved.match(/checked=""/g)).toHaveLength(4)
    expect((await get('/catalogue/publish')).text).toMatch(
      /<summary>Ways to pay<\/summary>.*Cash on delivery: off.*Cash on delivery: up to KSH 10,000/s,
    )
    await publish()
    const payments = { cashOnDelivery: true, cashMaxKsh: 10_000, cashCounties: ['Nairobi', 'Kisumu'] }
    expect(await readPublished()).toEqual({ payments: { ...payments, payByHand: true } })
    await save('payments', { cashMaxKsh: '10000', 'county-Nairobi': 'on' })
    await publish()
    expect((await readPublished()).payments).toMatchObject({ cashOnDelivery: false, cashMaxKsh: 10_000 })
    await post('/catalogue/restore', { number: '2' })
    expect((await get('/content')).text).toContain('Payment from the M-Pesa menu: on')
  })

  it('includes the delivery time, and says what customers miss until it is entered', async () => {
    const { get, save, publish, readPublished, readState } = await openOffice()
    const missing = 'Customers can’t see how long delivery takes.'
    expect(await readState('Delivery time')).toBe('Empty')
    expect((await get('/content')).text).toContain(missing)
    await save('deliveryTime', { text: ' 1 to 3 days ' })
    expect((await get('/content')).text).not.toContain(missing)
    await publish()
    expect(await readPublished()).toEqual({ deliveryTime: { text: '1 to 3 days' } })
    await save('deliveryTime', { text: '' })
    expect((await get('/content')).text).toContain(missing)
  })

  it('is discarded with the draft', async () => {
    const { get, post, save, readState } = await openOffice()
    await save('hours', { text: 'Monday to Friday' })
    const { revision } = await readPublishForm(get)
    await post('/catalogue/discard', { revision })
    expect(await readState('Opening hours')).toBe('Empty')
  })

  it('is kept when products are imported or published from a terminal', async () => {
    const { ctx, save, publish, readPublished, readState } = await openOffice()
    await save('hours', { text: 'Monday to Friday' })
    await importDraft({ text: JSON.stringify(items.slice(1)), actor: COMMAND_LINE_ACTOR }, ctx)
    expect(await readState('Opening hours')).toBe('In draft')
    await publish()
    const base = (await readLatestVersion(ctx))?.number ?? 0
    await publishFile({ text: JSON.stringify(items), base, actor: COMMAND_LINE_ACTOR, changes: '' }, ctx)
    expect(await readPublished()).toMatchObject({ hours: { markdown: 'Monday to Friday' } })
    expect(await readState('Opening hours')).toBe('Changed')
  })

  it('is still the default after being saved unchanged', async () => {
    const { get, save, readState } = await openOffice()
    for (const [name, label] of [
      ['privacy', 'Privacy'],
      ['searchWords', 'Search words'],
    ] as const) {
      const { text } = await get(`/content/${name}`)
      const [, typed = ''] = /<textarea[^>]*>(.*?)<\/textarea>/s.exec(text) ?? []
      await save(name, { text: typed.replaceAll('&#x27;', "'").replaceAll('\n', '\r\n') })
      expect(await readState(label)).toBe('Default')
    }
    await save('contact', {
      email: 'hello@pamba.example',
      phone: '',
      whatsapp: '',
      social: 'https://social.example/pamba',
      code: 'https://code.example/pamba',
      calendar: 'https://calendar.example/pamba',
    })
    expect(await readState('Contact details')).toBe('Default')
  })

  it('isn’t saved if someone else changed it in the meantime, and the form keeps what was typed', async () => {
    const { post, save } = await openOffice()
    await save('hours', { text: 'Monday' })
    const { status, text } = await post('/content/hours', { seen: '0', text: 'Tuesday' })
    expect(status).toBe(409)
    expect(text).toContain('This has changed since you opened it.')
    expect(text).toMatch(/<textarea[^>]*>Tuesday<\/textarea>/)
    const [, seen = ''] = /name="seen" value="(\d+)"/.exec(text) ?? []
    expect((await post('/content/hours', { seen, text: 'Tuesday' })).status).toBe(303)
  })

  it('can be previewed without being saved', async () => {
    const { post, readState } = await openOffice()
    const { text } = await post('/content/story', { seen: '0', text: '- One\n- <i>Two</i>', do: 'preview' })
    expect(text).toContain('<ul><li>One</li><li>&lt;i&gt;Two&lt;/i&gt;</li></ul>')
    expect(text).toContain('Not saved yet.')
    expect(await readState('Our story')).toBe('Empty')
  })

  it('links to pages of the shop, not of the office, in its preview', async () => {
    const { post } = await openOffice()
    const { text } = await post('/content/story', { seen: '0', text: '[Sizes](/about#sizes)', do: 'preview' })
    expect(text).toContain('<a href="https://pamba.test/about#sizes">Sizes</a>')
  })

  const LINKS = { social: 'https://s.example', code: 'https://c.example', calendar: 'https://d.example' }
  const CONTACT = { email: 'a@b.example', phone: '', whatsapp: '', ...LINKS }
  it.each([
    ['returns', { text: 'x'.repeat(10_001) }, '“Returns” must be at most 10,000 characters.'],
    ['banner', { text: 'x'.repeat(201) }, '“Banner text” must be at most 200 characters.'],
    ['banner', { text: '', fromDay: '2026-12-24' }, '“Banner text” is missing.'],
    ['banner', { text: 'Closed', fromDay: '2026-02-30' }, '“First day” must be a date.'],
    ['banner', { text: 'Closed', untilDay: '2026-01-06' }, '“Last day” can’t be in the past.'],
    [
      'banner',
      { text: 'Closed', fromDay: '2026-12-26', untilDay: '2026-12-24' },
      '“Last day” must not be before the first day.',
    ],
    ['deliveryTime', { text: 'x'.repeat(41) }, '“Delivery time” must be at most 40 characters.'],
    ['hero', { 'image-0': '/photos/abcdefgh123/640.jpg', 'alt-0': ' ' }, '“Photo description” is missing.'],
    ['hero', { 'image-0': '/\\evil.example/x.png', 'alt-0': 'A dress' }, '“Photo” is missing.'],
    ['featured', { 'featured-2': 'No such dress' }, 'We can’t find product 2, “No such dress”.'],
    ['featured', { 'featured-1': '1', 'featured-2': '1' }, '“Featured products” must all be different.'],
    ['contact', { ...CONTACT, email: 'nobody' }, '“Email” must be an email address.'],
    ['contact', { ...CONTACT, phone: 'call me' }, '“Phone number” must be a phone number'],
    ['contact', { ...CONTACT, social: 'javascript:alert(1)' }, '“Social network” must be a web address'],
    [
      'payments',
      { cashOnDelivery: 'on', cashMaxKsh: '', 'county-Nairobi': 'on' },
      '“Maximum order total” must be between KSH 1 and KSH 1,000,000, in whole shillings.',
    ],
    ['payments', { cashMaxKsh: '99.50' }, '“Maximum order total” must be between KSH 1'],
    ['payments', { cashMaxKsh: 'lots' }, '“Maximum order total” must be between KSH 1'],
    ['payments', { cashMaxKsh: '1e9' }, '“Maximum order total” must be between KSH 1'],
    [
      'payments',
      { cashOnDelivery: 'on', cashMaxKsh: '5,000' },
      '“Counties” must include at least one county.',
    ],
    ['searchWords', { text: 'gauni = dress\ngown' }, 'Line 2: please write the words customers type'],
    [
      'searchWords',
      { text: `${'x'.repeat(61)} = dress` },
      'Search words, rule 1: each word must be at most 60',
    ],
  ])(
    'is rejected with a message that names the field, and keeps what was typed: $2',
    async (name, fields, message) => {
      const { save } = await openOffice()
      const { status, text } = await save(name, fields)
      expect(status).toBe(409)
      expect(text).toContain(message)
      for (const typed of Object.values<string>(fields))
        expect(text).toContain(typed.trim().replaceAll('\n', '\n') || '')
    },
  )

  it('is rejected with lone surrogates, in forms that are too large and under unknown names', async () => {
    const { post, get, ctx } = await openOffice()
    const broken = {
      name: 'hours',
      entered: { markdown: 'Open \uD800' },
      expectedRevision: 0,
      actor: COMMAND_LINE_ACTOR,
    } as const
    expect(await saveContent(broken, ctx)).toEqual({
      ok: false,
      error: {
        code: 'invalid',
        message: '“Opening hours” contains a character we can’t store. Please delete or retype it.',
      },
    })
    const huge = await post('/content/returns', { text: 'x'.repeat(70_000) })
    expect([huge.status, huge.text.includes('Please go back, shorten it')]).toEqual([413, true])
    for (const name of ['nothing', '__proto__', 'constructor'])
      expect((await get(`/content/${name}`)).status).toBe(404)
  })

  it('is escaped in every form, list and difference, and in the preview of the shop', async () => {
    const { save, get } = await openOffice()
    const forms = {
      returns: ['text'],
      hours: ['text'],
      banner: ['text', 'fromDay', 'untilDay'],
      searchWords: ['text'],
      hero: ['image-0', 'alt-0'],
      featured: ['featured-1'],
      payments: ['cashMaxKsh', 'cashOnDelivery'],
      contact: ['email', 'phone', 'whatsapp', 'social', 'code', 'calendar'],
    }
    // React's server renderer throws if an image's `src` is `hasOwnProperty`.
    const invalidUrls = ['hasOwnProperty', 'javascript:hostile()']
    const markup = /<script>|<img src=x|<svg onload|href="(javascript|data):/
    for (const [name, fields] of Object.entries(forms))
      for (const field of fields)
        for (const text of [
          ...takeNextShare(HOSTILE_TEXTS, 20),
          ...(field === 'image-0' ? invalidUrls : []),
        ]) {
          const valid = name === 'contact' ? CONTACT : {}
          const saved = await save(name, { ...valid, [field]: text })
          expect([303, 409, 413], `${name} ${field} ${text.slice(0, 30)}`).toContain(saved.status)
          expect(saved.text).not.toMatch(markup)
        }
    for (const path of [
      '/content',
      '/catalogue/publish',
      '/catalogue/preview/contact',
      '/catalogue/preview/products',
    ]) {
      const { status, text } = await get(path)
      expect([path, status]).toEqual([path, 200])
      expect(text).not.toMatch(markup)
    }
  })

  it('accepts featured products by number, suggestion or name', async () => {
    const { save, ctx } = await openOffice()
    const [first, second, third] = items
    await save('featured', {
      'featured-1': `${first?.id}`,
      'featured-2': `${second?.id} ${second?.title}`,
      'featured-4': third?.title ?? '',
    })
    const [row] = await ctx.db.select().from(draftContent)
    expect(JSON.parse(row?.value ?? '')).toEqual([first?.id, second?.id, third?.id])
  })
})

it('each line of search words is one rule, and a malformed line is named', () => {
  const text = 'boy, mvulana = children, not girl,not  dress\n\n kofia = hat \njeans ~ trousers'
  expect(parseSearchWords(text)).toEqual({
    ok: true,
    data: [
      { words: ['boy', 'mvulana'], finds: ['children'], except: ['girl', 'dress'] },
      { words: ['kofia'], finds: ['hat'] },
      { words: ['jeans'], finds: ['trousers'], isSimilar: true },
    ],
  })
  expect(SEARCH_WORDS.length).toBeGreaterThan(0)
  for (const wrong of ['hat', '= hat', 'hat =', 'a = b = c', 'a = b ~ c', 'a = not b'])
    expect(parseSearchWords(`x = y\n${wrong}`)).toEqual({
      ok: false,
      error: { code: 'malformed', line: 2 },
    })
})

it('a phrase that search cuts to one word is refused unless its line has that word too', () => {
  expect(parseSearchWords('x = y\nmama mini, mum and me = mama and mini')).toEqual({
    ok: false,
    error: { code: 'too_broad', line: 2, phrase: 'mum and me', word: 'mum' },
  })
  expect(parseSearchWords('heel, high heels ~ sandals\nclothes for rain = poncho')).toMatchObject({
    ok: true,
  })
  expect(parseSearchWords(formatSearchWords(SEARCH_WORDS))).toEqual({ ok: true, data: SEARCH_WORDS })
})
