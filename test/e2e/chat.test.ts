import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  alive,
  DESKTOP,
  expectNoComplaints,
  journeys,
  shopper,
  takeViolations,
  visit,
} from '#test/support/shopper.ts'
import { prepareDatabase, type ServedShop, serve } from '#tools/local-shop.ts'
import { freePort } from '#tools/ports.ts'

/** What a widget does: shows itself, talks to its own server, and draws a picture from there. */
const WIDGET = `
  const { origin } = new URL(document.currentScript.src)
  fetch(origin + '/hello').then((answer) => answer.text()).then((text) => {
    document.body.append(Object.assign(document.createElement('aside'), { id: 'chat', textContent: text }))
  })
  document.body.append(Object.assign(new Image(), { src: origin + '/face.svg', alt: '' }))
  window.chatLoadedWhenHydrated = document.documentElement.dataset.hydrated === 'true'
`
const FACE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'

/** The third party, on an origin of its own. */
function chatServer(asked: string[]): Server {
  return createServer((request, response) => {
    // The browser asks first, because a shopper of these tests sends an address of its own along.
    if (request.method !== 'OPTIONS') asked.push(request.url ?? '')
    const isFace = request.url === '/face.svg'
    const isWidget = request.url === '/widget.js'
    response.setHeader('Content-Type', isWidget ? 'text/javascript' : isFace ? 'image/svg+xml' : 'text/plain')
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', '*')
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.end(isWidget ? WIDGET : isFace ? FACE : 'Karibu! How can we help?')
  })
}

journeys('the chat widget', () => {
  const asked: string[] = []
  const chat = chatServer(asked)
  let chatOrigin: string
  let stateFolder: string
  let shop: ServedShop

  beforeAll(async () => {
    const chatPort = await freePort()
    await new Promise<void>((resolve) => chat.listen(chatPort, resolve))
    chatOrigin = `http://localhost:${chatPort}`
    stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-chat-'))
    await prepareDatabase(stateFolder)
    shop = await serve({
      port: await freePort(),
      stateFolder,
      vars: { CHAT_SCRIPT_URL: `${chatOrigin}/widget.js` },
      onLog: () => {},
    })
  })
  afterAll(async () => {
    await shop.close()
    chat.close()
    await rm(stateFolder, { recursive: true, force: true })
  })

  const chatted = (page: Page) => page.getByText('Karibu! How can we help?')
  const policyOf = async (address: string) =>
    (await fetch(shop.url + address)).headers.get('content-security-policy') ?? ''

  it('loads on Home once the page is awake, and may talk to its own origin alone', async () => {
    const visitor = await shopper({ origin: shop.url })
    const { page } = visitor
    await visit(visitor, '/')
    await chatted(page).waitFor()
    expect(await page.evaluate(() => Reflect.get(window, 'chatLoadedWhenHydrated'))).toBe(true)
    await expect.poll(() => asked.slice(0, 3).toSorted()).toEqual(['/face.svg', '/hello', '/widget.js'])
    expectNoComplaints(visitor)
    // Another port is another origin: the policy refuses it.
    const elsewhere = `http://localhost:${await freePort()}`
    await page.evaluate((address) => fetch(address).catch(() => {}), elsewhere)
    await expect.poll(takeViolations).toEqual([`The policy was violated: connect-src by ${elsewhere}/`])
  })

  it('is neither admitted nor loaded on any other page', async () => {
    const before = asked.length
    const visitor = await shopper({ origin: shop.url })
    for (const address of [
      '/products',
      '/product/1',
      '/about',
      '/contact',
      '/login',
      '/register',
      '/nowhere',
    ]) {
      expect(await policyOf(address), address).not.toContain(chatOrigin)
      await visit(visitor, address)
      await visitor.page.waitForLoadState('networkidle')
      expect(asked.slice(before), address).toEqual([])
    }
    expect(await policyOf('/')).toContain(chatOrigin)
  })

  it('comes with a link to Home and stays behind when it is left', async () => {
    const visitor = await shopper({ origin: shop.url, viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await chatted(page).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Contact', exact: true }).click()
    await page.getByRole('heading', { name: 'Contact us' }).waitFor()
    await alive(page)
    expect(await page.evaluate(() => 'chatLoadedWhenHydrated' in window)).toBe(false)
    expect(await chatted(page).count()).toBe(0)
    await page.goBack()
    await chatted(page).waitFor()
    expectNoComplaints(visitor)
  })

  it('is absent where none is configured: nothing loads, nothing is admitted, Home is reached inside the app', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }))
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Sustainable Fashion for Little Ones' }).waitFor()
    expect(await page.evaluate(() => 'isSameDocument' in window)).toBe(true)
    expect(await page.locator('script[src^="http"]').count()).toBe(0)
    const response = await page.request.get('/')
    expect(response.headers()['content-security-policy']).toMatch(/frame-src 'none'/)
  })
})
