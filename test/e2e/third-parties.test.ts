import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  takeViolations,
  visit,
  waitForHydration,
} from '#test/support/shopper.ts'
import { PASSWORD } from '#test/support/signed-in-shopper.ts'
import { type ServedShop, serveShop } from '#tools/local-shop.ts'
import { findFreePort } from '#tools/ports.ts'

const CHAT_WIDGET_SCRIPT = `
  const { origin } = new URL(document.currentScript.src)
  fetch(origin + '/hello').then((answer) => answer.text()).then((text) => {
    document.body.append(Object.assign(document.createElement('aside'), { id: 'chat', textContent: text }))
  })
  document.body.append(Object.assign(new Image(), { src: origin + '/face.svg', alt: '' }))
  window.chatLoadedWhenHydrated = document.documentElement.dataset.hydrated === 'true'
`
const IMAGE_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'

const TURNSTILE_SCRIPT = `
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
const TURNSTILE_FRAME_HTML = `<!doctype html><title>Challenge</title>
  <button onclick="parent.postMessage({}, '*')">Fail</button>
  <button onclick="parent.postMessage({ token: 'used' }, '*')">Solve again</button>
  <button onclick="parent.postMessage({ token: 'solved' }, '*')">Solve</button>`

function createOtherServer(asked: string[]): Server {
  return createServer((request, response) => {
    // These tests add an IP address header, so the browser sends a preflight.
    if (request.method !== 'OPTIONS') asked.push(request.url ?? '')
    const isFace = request.url === '/face.svg'
    const isWidget = request.url === '/widget.js'
    response.setHeader('Content-Type', isWidget ? 'text/javascript' : isFace ? 'image/svg+xml' : 'text/plain')
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', '*')
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.end(isWidget ? CHAT_WIDGET_SCRIPT : isFace ? IMAGE_SVG : 'Karibu! How can we help?')
  })
}

const EMAIL = 'amina@shopper.test'
const requestedUrls: string[] = []
const otherServer = createOtherServer(requestedUrls)
let chatOrigin: string
let stateFolder: string
let shop: ServedShop

beforeAll(async () => {
  const port = await findFreePort()
  await new Promise<void>((resolve) => otherServer.listen(port, resolve))
  chatOrigin = `http://localhost:${port}`
  stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-others-'))
  await cp(inject('newDatabase'), stateFolder, { recursive: true })
  shop = await serveShop({
    port: await findFreePort(),
    stateFolder,
    vars: {
      CHAT_SCRIPT_URL: `${chatOrigin}/widget.js`,
      TURNSTILE_SITE_KEY: 'site-key',
      TURNSTILE_SECRET_KEY: 'secret-key',
    },
    onLog: () => {},
  })
})
afterAll(async () => {
  await shop?.close()
  otherServer.close()
  await rm(stateFolder, { recursive: true, force: true })
})

journeys('the chat widget', () => {
  it('loads on Home after hydration, may connect only to its own origin, and is gone on other pages', async () => {
    const visitor = await openShopper({ origin: shop.url, viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    const chatted = page.getByText('Karibu! How can we help?')
    await visit(visitor, '/about')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await chatted.waitFor()
    expect(await page.evaluate(() => Reflect.get(window, 'chatLoadedWhenHydrated'))).toBe(true)
    await expect.poll(() => requestedUrls.toSorted()).toEqual(['/face.svg', '/hello', '/widget.js'])
    expectNoConsoleErrors(visitor)
    // A different port is a different origin, so the policy must block it.
    const elsewhere = `http://localhost:${await findFreePort()}`
    await page.evaluate((url) => fetch(url).catch(() => {}), elsewhere)
    await expect.poll(takeViolations).toEqual([`The policy was violated: connect-src by ${elsewhere}/`])

    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Contact', exact: true }).click()
    await page.getByRole('heading', { name: 'Contact us' }).waitFor()
    await waitForHydration(page)
    expect(await page.evaluate(() => 'chatLoadedWhenHydrated' in window)).toBe(false)
    expect(await chatted.count()).toBe(0)
    expect(requestedUrls).toHaveLength(3)
  })
})

journeys('a challenge after wrong passwords', () => {
  it('reports a failure and logs the shopper in once solved', async () => {
    const visitor = await openShopper({ origin: shop.url })
    const { page } = visitor
    await page.route('https://challenges.cloudflare.com/**', (route) =>
      route.request().resourceType() === 'script'
        ? route.fulfill({ contentType: 'text/javascript', body: TURNSTILE_SCRIPT })
        : route.fulfill({ contentType: 'text/html', body: TURNSTILE_FRAME_HTML }),
    )
    const wait = 'Please wait a minute and try again.'
    // Responds as the shop does after five wrong passwords from an unknown device.
    await page.route('**/api/auth/login', (route) => {
      const { challenge } = route.request().postDataJSON()
      if (challenge === 'solved')
        return route.fulfill({ json: { token: 'a'.repeat(43), user: { name: 'Amina', email: EMAIL } } })
      const message = challenge
        ? `The security check failed. ${wait}`
        : `Too many incorrect passwords. ${wait}`
      const json = { code: 'login_paused', message, challenge: { siteKey: 'site-key' } }
      return route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json })
    })
    const challenge = page.frameLocator('iframe[title=Challenge]')
    const logIn = page.getByRole('button', { name: 'Login', exact: true })
    await visit(visitor, '/login')
    await page.getByLabel('Email address').fill(EMAIL)
    await page.getByLabel('Password').fill(PASSWORD)
    await logIn.click()
    await page.getByText('Too many incorrect passwords. Please wait a minute').waitFor()
    await page.getByText('Complete this check to try again right away.').waitFor()
    expect(await page.locator('iframe[title=Challenge]').getAttribute('src')).toContain('sitekey=site-key')

    await challenge.getByRole('button', { name: 'Fail' }).click()
    await page.getByText('The security check failed. Retrying...').waitFor()
    await challenge.getByRole('button', { name: 'Solve again' }).click()
    await logIn.click()
    await page.getByText('The security check failed. Please wait a minute').waitFor()
    await challenge.getByRole('button', { name: 'Solve', exact: true }).click()
    await logIn.click()
    await page.getByText('Login successful! Redirecting...').waitFor()
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBe('a'.repeat(43))
  })
})
