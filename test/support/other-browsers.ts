import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findFreePort } from '#tools/ports.ts'

export type OtherBrowser = {
  open: (url: string) => Promise<void>
  evaluate: (expression: string) => Promise<unknown>
  click: (selector: string) => Promise<void>
  /** Clicks the middle of the element twice without moving the pointer, as fast as the driver can. */
  clickTwice: (selector: string) => Promise<void>
  type: (selector: string, text: string) => Promise<void>
  resize: (viewport: { width: number; height: number }) => Promise<void>
  close: () => Promise<void>
}

const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver'
const XVFB = '/usr/bin/Xvfb'
const FIREFOX = '/usr/bin/firefox-esr'
const [MINI_BROWSER = ''] = globSync('/usr/lib/*-linux-gnu/webkit2gtk-4.1/MiniBrowser')

export const OTHER_BROWSERS = [
  {
    name: 'WebKit',
    packages: 'webkit2gtk-driver xvfb',
    launch: [WEBKIT_DRIVER, XVFB, MINI_BROWSER].every((file) => existsSync(file)) ? launchWebKit : undefined,
  },
  {
    name: 'Firefox',
    packages: 'firefox-esr',
    launch: existsSync(FIREFOX) ? launchFirefox : undefined,
  },
]

const START_TIMEOUT_MS = 60_000
const RESPONSE_TIMEOUT_MS = 10_000

/** Scrolls immediately. The driver's own scrolling would use the page's smooth behaviour. */
const createScrollExpression = (selector: string) =>
  `document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: 'center', behavior: 'instant' })`

const clickActions = (origin: object, times: number) => ({
  type: 'pointer',
  id: 'mouse',
  actions: [
    { type: 'pointerMove', x: 0, y: 0, origin },
    ...Array.from({ length: times }, () => [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]).flat(),
  ],
})

/** Resolves once the output matches `pattern`. Rejects if the program exits first. */
function startProgram(program: string, args: string[], pattern: RegExp, env: Record<string, string> = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  return new Promise<{ child: ChildProcess; match: RegExpExecArray }>((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk
      const match = pattern.exec(output)
      if (match) resolve({ child, match })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${output}`)))
  })
}

async function stopAll(...children: ChildProcess[]): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill()
    await gone
  }
}

/** This style allows MiniBrowser's window to be as narrow as a phone, despite its toolbar. */
const NARROW_TOOLBAR = '* { min-width: 0; margin: 0; padding: 0; border-width: 0; font-size: 1px }'

async function launchWebKit(): Promise<OtherBrowser> {
  const settings = mkdtempSync(path.join(tmpdir(), 'pamba-webkit-'))
  mkdirSync(path.join(settings, 'gtk-3.0'))
  writeFileSync(path.join(settings, 'gtk-3.0/gtk.css'), NARROW_TOOLBAR)
  // Xvfb first reports the displays that are in use.
  const display = await startProgram(XVFB, ['-displayfd', '1', '-nolisten', 'tcp'], /^\d+\n/m)
  const port = await findFreePort()
  const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`, '--host=127.0.0.1'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: `:${display.match[0].trim()}`,
      GDK_BACKEND: 'x11',
      GTK_IM_MODULE: 'gtk-im-context-simple',
      JSC_useConcurrentGC: '0',
      JSC_useDFGJIT: '0',
      NO_AT_BRIDGE: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      XDG_CONFIG_HOME: settings,
    },
  })
  const close = async () => {
    await stopAll(driver, display.child)
    rmSync(settings, { recursive: true, force: true, maxRetries: 5 })
  }
  let session = ''
  async function call(
    method: string,
    command: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${port}/session${session}${command}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    const { value } = (await response.json()) as { value: unknown }
    if (!response.ok) throw new Error(`WebKit, ${command}: ${JSON.stringify(value)}`)
    return value
  }
  // WebKit never responds to a script if its page enters the back/forward cache. The timeout lets polls retry.
  const evaluate = (expression: string) => {
    const script = { script: `return ${expression}`, args: [] }
    return call('POST', '/execute/sync', script, AbortSignal.timeout(RESPONSE_TIMEOUT_MS))
  }
  const elementAt = async (selector: string) => {
    const foundElement = await call('POST', '/element', { using: 'css selector', value: selector })
    return {
      found: foundElement as object,
      path: `/element/${Object.values(foundElement as Record<string, string>)[0]}`,
    }
  }
  try {
    await waitForPort(port)
    const options = { binary: MINI_BROWSER, args: ['--automation'] }
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
    const { sessionId } = (await call('POST', '', { capabilities })) as { sessionId: string }
    session = `/${sessionId}`
    await call('POST', '/window/rect', { width: 1280, height: 900 })
  } catch (error) {
    await close()
    throw error
  }
  return {
    open: async (url) => void (await call('POST', '/url', { url })),
    evaluate,
    click: async (selector) => {
      await evaluate(createScrollExpression(selector))
      await call('POST', `${(await elementAt(selector)).path}/click`, {})
    },
    clickTwice: async (selector) => {
      await evaluate(createScrollExpression(selector))
      await call('POST', '/actions', { actions: [clickActions((await elementAt(selector)).found, 2)] })
    },
    type: async (selector, text) =>
      void (await call('POST', `${(await elementAt(selector)).path}/value`, { text })),
    resize: async ({ width, height }) => {
      const toolbarHeight = Number(await evaluate('outerHeight - innerHeight'))
      await call('POST', '/window/rect', { width, height: height + toolbarHeight })
    },
    close: async () => {
      await call('DELETE', '')
      await close()
    },
  }
}

async function waitForPort(port: number): Promise<void> {
  for (const giveUpMs = Date.now() + START_TIMEOUT_MS; ; ) {
    const response = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined)
    if (response?.ok) return
    if (Date.now() > giveUpMs) throw new Error(`Nothing answers at port ${port}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * These settings disable prompts, network requests at start-up and spare processes, and paint less often, because tests
 * read the DOM, not pixels.
 */
const FIREFOX_SETTINGS = {
  'app.update.disabledForTesting': true,
  'browser.newtabpage.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.ipc.processCount': 1,
  'dom.ipc.processPrelaunch.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'extensions.webextensions.remote': false,
  'fission.autostart': false,
  'javascript.options.ion': false,
  'layout.frame_rate': 10,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'remote.active-protocols': 1,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.unified': false,
}

async function launchFirefox(): Promise<OtherBrowser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'pamba-firefox-'))
  const settings = Object.entries(FIREFOX_SETTINGS).map(
    (setting) => `user_pref(${JSON.stringify(setting).slice(1, -1)});`,
  )
  writeFileSync(path.join(profile, 'user.js'), settings.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const env = { MOZ_CRASHREPORTER_DISABLE: '1', MOZ_HEADLESS_WIDTH: '1280', MOZ_HEADLESS_HEIGHT: '900' }
  const { child, match } = await startProgram(FIREFOX, args, /BiDi listening on (ws:\S+)\s/, env)
  const socket = new WebSocket(`${match[1]}/session`)
  const close = async () => {
    socket.close()
    await stopAll(child)
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  socket.onmessage = ({ data }) => {
    const { id, type, result, ...problem } = JSON.parse(String(data))
    if (type === 'success') waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(`Firefox: ${JSON.stringify(problem)}`))
  }
  let calls = 0
  function call(method: string, params: object): Promise<Record<string, unknown>> {
    const answer = Promise.withResolvers<Record<string, unknown>>()
    waiting.set(++calls, answer)
    socket.send(JSON.stringify({ id: calls, method, params }))
    return answer.promise
  }
  try {
    await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))
    await call('session.new', { capabilities: {} })
  } catch (error) {
    await close()
    throw error
  }
  const { contexts } = (await call('browsingContext.getTree', {})) as { contexts: { context: string }[] }
  const context = contexts[0]?.context
  async function evaluated(expression: string) {
    const params = { expression, target: { context }, awaitPromise: true, userActivation: true }
    const { type, result, ...problem } = await call('script.evaluate', params)
    if (type !== 'success') throw new Error(`Firefox, ${expression}: ${JSON.stringify(problem)}`)
    return result as { value?: unknown; sharedId?: string }
  }
  async function click(selector: string, times = 1): Promise<void> {
    await evaluated(createScrollExpression(selector))
    const { sharedId } = await evaluated(`document.querySelector(${JSON.stringify(selector)})`)
    const origin = { type: 'element', element: { sharedId } }
    await call('input.performActions', { context, actions: [clickActions(origin, times)] })
  }
  return {
    open: async (url) => void (await call('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate: async (expression) => (await evaluated(expression)).value,
    click,
    clickTwice: (selector) => click(selector, 2),
    type: async (selector, text) => {
      await click(selector)
      const actions = Array.from(text, (value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]).flat()
      await call('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] })
    },
    resize: async (viewport) => void (await call('browsingContext.setViewport', { context, viewport })),
    close,
  }
}
