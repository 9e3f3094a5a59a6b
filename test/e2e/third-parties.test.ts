import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  DESKTOP,
  expectNoComplaints,
  hydrated,
  journeys,
  ownAddress,
  shopper,
  takeViolations,
  visit,
} from '#test/support/shopper.ts'
import { newAccount, PASSWORD } from '#test/support/signed-in-shopper.ts'
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

/** What the shop uses of Turnstile's script: a frame from Turnstile's origin, whose button solves the challenge or fails. */
const TURNSTILE = `
  window.turnstile = {
    render(container, { sitekey, action, callback, 'error-callback': onError }) {
      const shadow = container.attachShadow({ mode: 'open' })
      const frame = document.createElement('iframe')
      frame.src = 'https://challenges.cloudflare.com/widget?' + new URLSearchParams({ sitekey, action })
      frame.title = 'Challenge'
      frame.style.border = '0'
      shadow.append(frame)
      addEventListener('message', ({ origin, data }) => {
        if (origin !== 'https://challenges.cloudflare.com') return
        if (data.token) callback(data.token)
        else onError('300030')
      })
      return 'widget'
    },
    remove() {},
  }
`
const TURNSTILE_FRAME = `<!doctype html><title>Challenge</title>
  <button onclick="parent.postMessage({}, '*')">Fail</button>
  <button onclick="parent.postMessage({ token: 'used' }, '*')">Solve again</button>
  <button onclick="parent.postMessage({ token: 'solved' }, '*')">Solve</button>`

/** The third parties: a chat widget on an origin of its own, and Turnstile's verification. */
function otherServers(asked: string[]): Server {
  return createServer(async (request, response) => {
    if (request.url === '/turnstile/v0/siteverify') {
      const { secret, response: token } = (await json(request)) as Record<string, string>
      const success = secret === 'secret-key' && token === 'solved'
      return response.end(JSON.stringify({ success, action: 'login' }))
    }
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

const asked: string[] = []
const others = otherServers(asked)
let chatOrigin: string
let stateFolder: string
let shop: ServedShop

beforeAll(async () => {
  const port = await freePort()
  await new Promise<void>((resolve) => others.listen(port, resolve))
  chatOrigin = `http://localhost:${port}`
  stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-others-'))
  await prepareDatabase(stateFolder)
  shop = await serve({
    port: await freePort(),
    stateFolder,
    vars: {
      CHAT_SCRIPT_URL: `${chatOrigin}/widget.js`,
      TURNSTILE_SITE_KEY: 'site-key',
      TURNSTILE_SECRET_KEY: 'secret-key',
    },
    others: chatOrigin,
    onLog: () => {},
  })
})
afterAll(async () => {
  await shop?.close()
  others.close()
  await rm(stateFolder, { recursive: true, force: true })
})

journeys('the chat widget', () => {
  const chatted = (page: Page) => page.getByText('Karibu! How can we help?')
  const policyOf = async (address: string) =>
    (await fetch(shop.url + address)).headers.get('content-security-policy') ?? ''

  it('loads on Home once the page is hydrated, and may talk to its own origin alone', async () => {
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
    await hydrated(page)
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

journeys('a challenge after wrong passwords', () => {
  it('shows when it fails, and lets the shopper in once it is solved', async () => {
    const address = ownAddress()
    const { email } = await newAccount('Amina Wanjiru', shop.url)
    for (let failures = 0; failures < 5; failures++)
      await fetch(`${shop.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': address },
        body: JSON.stringify({ email, password: 'not-the-password' }),
      })

    const visitor = await shopper({ origin: shop.url, extraHTTPHeaders: { 'CF-Connecting-IP': address } })
    const { page } = visitor
    await page.route('https://challenges.cloudflare.com/**', (route) =>
      route.request().resourceType() === 'script'
        ? route.fulfill({ contentType: 'text/javascript', body: TURNSTILE })
        : route.fulfill({ contentType: 'text/html', body: TURNSTILE_FRAME }),
    )
    const challenge = page.frameLocator('iframe[title=Challenge]')
    const logIn = page.getByRole('button', { name: 'Login', exact: true })
    await visit(visitor, '/login')
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await logIn.click()
    await page.getByText('Too many wrong passwords. Please wait a minute').waitFor()
    await page.getByText('Pass this check to try again at once.').waitFor()
    expect(await page.locator('iframe[title=Challenge]').getAttribute('src')).toContain('sitekey=site-key')

    await challenge.getByRole('button', { name: 'Fail' }).click()
    await page.getByText('The check has failed.').waitFor()
    await challenge.getByRole('button', { name: 'Solve again' }).click()
    await logIn.click()
    await page.getByText('The check was not passed. Please wait a minute').waitFor()
    await challenge.getByRole('button', { name: 'Solve', exact: true }).click()
    await logIn.click()
    await page.waitForURL(`${shop.url}/`)
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeTruthy()
  })
})
