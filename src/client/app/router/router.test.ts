import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bootAtom } from '#client/app/boot.ts'
import type { Boot } from '#shared/boot.ts'
import {
  announcementAtom,
  messageBarAtom,
  type PageModule,
  parseLocation,
  type View,
  viewAtom,
} from './page.ts'
import type { DataSource } from './page-data.tsx'
import { createRouter } from './router.ts'

const ORIGIN = 'https://pamba.test'

type Entry = { key: string; id: string; url: string; state: unknown; getState: () => unknown }
type Destination = Partial<NavigateEvent> & { entry?: Entry; state?: unknown }

function openBrowserAt(
  path: string,
  boot: Partial<Boot> = {},
  browser: object = { NavigateEvent: FakeNavigateEvent },
) {
  let serial = 0
  const createEntry = (url: string, state: unknown = null, key = `key-${serial}`): Entry => ({
    key,
    id: `id-${serial++}`,
    url,
    state,
    getState() {
      return this.state
    },
  })
  const location = {
    href: ORIGIN + path,
    pathname: path,
    origin: ORIGIN,
    search: '',
    reload: vi.fn(),
    assign: vi.fn(),
  }
  const navigation = Object.assign(new EventTarget(), {
    currentEntry: createEntry(location.href),
    updateCurrentEntry({ state }: { state: unknown }) {
      navigation.currentEntry.state = state
    },
    navigate: vi.fn(),
  })
  const document = Object.assign(new EventTarget(), {
    title: 'First',
    documentElement: { toggleAttribute: () => {} },
    querySelector: () => null,
    getElementById: () => null,
  })
  const frames: (() => void)[] = []
  const window = Object.assign(new EventTarget(), {
    document,
    location,
    navigation,
    history: { scrollRestoration: 'auto' },
    scrollY: 0,
    scrollTo: ({ top }: { top: number }) => {
      window.scrollY = top
    },
    requestAnimationFrame: (frame: () => void) => frames.push(frame),
    cancelAnimationFrame: (id: number) => {
      frames[id - 1] = () => {}
    },
    ...browser,
  })
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', document)
  vi.stubGlobal('location', location)

  const store = createStore()
  store.set(bootAtom, (initial) => ({ ...initial, ...boot }))
  const createView = vi.fn(
    (_: unknown, to: View['location'], __: DataSource<unknown> | null, rest: Partial<View>) =>
      ({ location: to, element: null, ...rest }) as View,
  )
  const first = { key: 'first', navigationType: 'load' } as const
  store.set(viewAtom, createView(null, parseLocation(new URL(location.href)), null, first))
  store.sub(viewAtom, () => store.get(viewAtom)?.onRendered?.())
  const loadPage = vi.fn(async (_name: string): Promise<PageModule<'cart'>> => ({ Page: () => null }))
  createRouter({ store, loadPage, createView, navigation, window } as unknown as Parameters<
    typeof createRouter
  >[0]).start()

  async function navigate(to: string, { entry, state, ...init }: Destination = {}) {
    const url = ORIGIN + to
    const destination = entry ?? createEntry(url, state)
    let handled: Promise<void> | undefined
    const event = Object.assign(new Event('navigate'), {
      canIntercept: true,
      navigationType: 'push',
      downloadRequest: null,
      formData: null,
      userInitiated: true,
      signal: navigations.signal,
      destination,
      ...init,
      intercept({ handler }: { handler: () => Promise<void> }) {
        navigation.currentEntry = destination
        Object.assign(location, { href: url, pathname: to })
        handled = handler()
      },
    })
    navigation.dispatchEvent(event)
    await handled
    return handled ? 'app' : 'document'
  }

  const shownPathname = () => store.get(viewAtom)?.location.pathname
  return {
    navigate,
    navigation,
    document,
    window,
    location,
    store,
    frames,
    loadPage,
    createView,
    shownPathname,
  }
}

class FakeNavigateEvent {
  intercept() {}
}

const neverRespond = (_: string, { signal }: RequestInit) =>
  new Promise((_resolve, reject) =>
    signal?.addEventListener('abort', () => reject(new DOMException('Aborted.', 'AbortError'))),
  )

beforeEach(() => {
  vi.stubGlobal('NavigateEvent', FakeNavigateEvent)
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frame())
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  vi.stubGlobal('Element', class {})
})
/** Aborted after each test, because pending connection probes would outlive the stubbed globals. */
let navigations = new AbortController()
afterEach(() => {
  navigations.abort()
  navigations = new AbortController()
  vi.unstubAllGlobals()
})

function click(document: EventTarget, pathname: string, search = ''): Event {
  const link = Object.assign(new Element(), {
    href: ORIGIN + pathname + search,
    pathname,
    search,
    origin: ORIGIN,
    hasAttribute: () => false,
    closest: () => link,
  })
  const event = new Event('click', { cancelable: true })
  Object.defineProperties(event, { target: { value: link }, button: { value: 0 } })
  document.dispatchEvent(event)
  return event
}

describe('the router', () => {
  it('lets the browser paint a tap on a filter before it navigates', async () => {
    const frames: (() => void)[] = []
    vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
    const { document, navigation } = openBrowserAt('/products')
    expect(click(document, '/about').defaultPrevented).toBe(false)
    expect(click(document, '/products', '?category=Toys').defaultPrevented).toBe(true)
    expect(frames).toHaveLength(1)
    expect(navigation.navigate).not.toHaveBeenCalled()
    frames[0]?.()
    await vi.waitUntil(() => navigation.navigate.mock.calls.length > 0)
    expect(navigation.navigate).toHaveBeenCalledWith(`${ORIGIN}/products?category=Toys`, {})
  })

  it('discards a tapped filter if a link is followed before the paint', async () => {
    const frames: (() => void)[] = []
    vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
    const { document, navigation, navigate, shownPathname } = openBrowserAt('/products')
    click(document, '/products', '?category=Toys')
    await navigate('/about')
    frames[0]?.()
    await new Promise((resolve) => setTimeout(resolve))
    expect(navigation.navigate).not.toHaveBeenCalled()
    expect(shownPathname()).toBe('/about')
  })

  it("renders a link's page, sets its title and announces it", async () => {
    const { navigate, shownPathname, document, store } = openBrowserAt('/')
    expect(await navigate('/about')).toBe('app')
    expect(shownPathname()).toBe('/about')
    expect(document.title).toBe('Our Story · Pamba')
    expect(store.get(announcementAtom)).toBe('Our Story · Pamba')
  })

  it.each<[string, string, Destination]>([
    ['a reload', '/', { navigationType: 'reload' }],
    ['a link to another site', '/about', { canIntercept: false }],
    ['a download', '/about', { downloadRequest: '' }],
    ['a form that is posted', '/about', { formData: new FormData() }],
    ['a file', '/Items.json', {}],
    ['a path that the server redirects', '/About/', {}],
    ["React's own navigations", '/', { info: 'react-transition' }],
  ])('lets the browser handle %s', async (_, to, init) => {
    const { navigate } = openBrowserAt('/')
    expect(await navigate(to, init)).toBe('document')
  })

  it('loads a new document when the shopper enters or leaves Home while a chat widget is configured', async () => {
    const elsewhere = openBrowserAt('/about', { hasChatWidget: true })
    expect(await elsewhere.navigate('/')).toBe('document')
    expect(await elsewhere.navigate('/', { userInitiated: false })).toBe('app')
    const home = openBrowserAt('/', { hasChatWidget: true, chatScript: 'https://chat.test/widget.js' })
    expect(await home.navigate('/about')).toBe('document')
    expect(await home.navigate('/#main')).toBe('app')
  })

  it('restores a view, its title and its scroll position on going back, even during a smooth scroll', async () => {
    const { navigate, navigation, window, document, frames, loadPage } = openBrowserAt('/products')
    const entry = navigation.currentEntry
    window.scrollY = 1200
    await navigate('/about')
    expect(window.scrollY).toBe(0)
    loadPage.mockClear()

    await navigate('/products', { navigationType: 'traverse', entry })
    expect(window.scrollY).toBe(1200)
    expect(document.title).toBe('First')
    expect(loadPage).not.toHaveBeenCalled()
    window.scrollY = 1145
    for (const frame of frames) frame()
    expect(window.scrollY).toBe(1200)
  })

  it('does not apply a restored scroll position to the next page', async () => {
    const { navigate, navigation, window, frames } = openBrowserAt('/products')
    const entry = navigation.currentEntry
    window.scrollY = 1200
    await navigate('/about')
    await navigate('/products', { navigationType: 'traverse', entry })
    await navigate('/contact')
    for (const frame of frames) frame()
    expect(window.scrollY).toBe(0)
  })

  it('goes back to a URL that the page set with replaceState, without loading anything', async () => {
    const { navigate, navigation, store, location, loadPage, shownPathname } = openBrowserAt('/product/1')
    const entry = navigation.currentEntry
    const replaced = Object.assign(entry, { url: `${ORIGIN}/product/101`, sameDocument: true })
    const options = { navigationType: 'replace', hashChange: false } as const
    expect(await navigate('/product/101', { ...options, entry: replaced })).toBe('document')
    location.href = replaced.url
    const view = store.get(viewAtom) as View
    store.set(viewAtom, { ...view, location: parseLocation(new URL(replaced.url)) })
    await navigate('/about')
    loadPage.mockClear()
    await navigate('/product/101', { navigationType: 'traverse', entry: replaced })
    expect([shownPathname(), loadPage.mock.calls]).toEqual(['/product/101', []])
  })

  it('renders only the last of two navigations and stores no scroll position for the aborted one', async () => {
    const { navigate, navigation, window, loadPage, shownPathname } = openBrowserAt('/about')
    const abort = new AbortController()
    loadPage.mockReturnValueOnce(new Promise(() => {}))
    void navigate('/contact', { signal: abort.signal })
    const overtaken = navigation.currentEntry
    window.scrollY = 500
    abort.abort()
    await navigate('/products')
    expect(shownPathname()).toBe('/products')
    expect(overtaken.getState()).toBeNull()
  })

  it('stays on the page and shows a message while offline, then loads the document on reconnecting', async () => {
    vi.useFakeTimers()
    const answer = vi.fn<() => Promise<unknown>>().mockRejectedValue(new TypeError('Failed to fetch'))
    vi.stubGlobal('fetch', answer)
    const { navigate, loadPage, location, shownPathname, store, window } = openBrowserAt('/about')
    loadPage.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    const pending = navigate('/contact')
    await vi.waitUntil(() => String(store.get(messageBarAtom)).includes('will open when you reconnect'))
    expect([shownPathname(), location.reload.mock.calls.length]).toEqual(['/about', 0])

    store.set(messageBarAtom, '')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(store.get(messageBarAtom), 'after the shopper closed it').toBe('')
    answer.mockResolvedValue(null)
    window.dispatchEvent(new Event('online'))
    await pending
    expect(store.get(messageBarAtom)).toBe('')
    expect(location.reload).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })

  it.each([
    ['script', new Promise<PageModule<'cart'>>(() => {}), 6000],
    ['data', Promise.resolve({ Page: () => null, load: () => new Promise<null>(() => {}) }), 4000],
  ])(
    'stays on the page and shows a message until the next page’s %s can be loaded again, then loads the document',
    async (_, page, waitMs) => {
      vi.useFakeTimers()
      vi.stubGlobal('fetch', neverRespond)
      const { navigate, loadPage, location, shownPathname, store } = openBrowserAt('/contact')
      loadPage.mockReturnValueOnce(page)
      const pending = navigate('/about')
      await vi.advanceTimersByTimeAsync(waitMs)
      expect(shownPathname()).toBe('/contact')
      expect(store.get(messageBarAtom)).toMatch(/will open when you reconnect/)

      vi.stubGlobal('fetch', async () => null)
      await vi.advanceTimersByTimeAsync(7000)
      await pending
      expect(store.get(messageBarAtom)).toBe('')
      expect(location.reload).toHaveBeenCalledOnce()
      vi.useRealTimers()
    },
  )

  it('shows a page as soon as the server responds, even if its data is slow', async () => {
    vi.stubGlobal('fetch', async () => null)
    const { navigate, loadPage, shownPathname } = openBrowserAt('/contact')
    loadPage.mockResolvedValueOnce({ Page: () => null, load: () => new Promise<null>(() => {}) })
    void navigate('/about')
    await vi.waitUntil(() => shownPathname() === '/about')
  })

  it.each(['some', null])(
    'shows no loading state if the data (%s) arrives right after the first response',
    async (found) => {
      vi.stubGlobal('fetch', async () => null)
      const { navigate, loadPage, createView } = openBrowserAt('/contact')
      const load = () => new Promise<null>((resolve) => setTimeout(resolve, 10, found))
      loadPage.mockResolvedValueOnce({ Page: () => null, load })
      await navigate('/about')
      expect(createView.mock.lastCall?.[2]?.read()).toBe(found)
    },
  )

  it.each([
    ['has no', undefined],
    ['refuses', { getRegistration: () => Promise.reject(new Error('Refused.')) }],
  ])(
    'follows a link after reconnecting in a browser that lacks the Navigation API and %s service workers',
    async (_, serviceWorker) => {
      const { document, location, store, window } = openBrowserAt('/contact', {}, {})
      const fetched = vi.fn<() => Promise<unknown>>().mockRejectedValue(new TypeError('Failed to fetch'))
      vi.stubGlobal('fetch', fetched)
      vi.stubGlobal('navigator', { onLine: false, serviceWorker })
      expect(click(document, '/about').defaultPrevented).toBe(true)
      await vi.waitUntil(() => String(store.get(messageBarAtom)).includes('will open when you reconnect'))
      expect(location.assign).not.toHaveBeenCalled()

      fetched.mockResolvedValue(null)
      window.dispatchEvent(new Event('online'))
      await vi.waitUntil(() => location.assign.mock.calls.length > 0)
      expect(location.assign).toHaveBeenCalledWith(`${ORIGIN}/about`)
    },
  )

  it('stops waiting for a page when the shopper opens another', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const { navigate, loadPage, location, shownPathname, store, window } = openBrowserAt('/about')
    const abort = new AbortController()
    loadPage.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    const pending = navigate('/contact', { signal: abort.signal })
    await vi.waitUntil(() => String(store.get(messageBarAtom)).includes('will open when you reconnect'))
    abort.abort()
    await Promise.all([pending, navigate('/products')])
    expect(shownPathname()).toBe('/products')
    expect(store.get(messageBarAtom)).toMatch(/^You’ve been offline since \d\d:\d\d\.$/)

    vi.stubGlobal('fetch', async () => null)
    window.dispatchEvent(new Event('online'))
    await vi.waitUntil(() => store.get(messageBarAtom) === '')
    expect(location.reload).not.toHaveBeenCalled()
  })

  it("loads the document if a page's script fails while the server is reachable", async () => {
    vi.stubGlobal('fetch', async () => null)
    const { navigate, loadPage, location } = openBrowserAt('/about')
    loadPage.mockRejectedValueOnce(new Error('not found'))
    await navigate('/contact')
    expect(location.reload).toHaveBeenCalledOnce()
  })

  it('loads the document if appending products fails while the server is reachable', async () => {
    vi.stubGlobal('fetch', async () => null)
    const { navigate, loadPage, location } = openBrowserAt('/products')
    const load = () => Promise.reject(new TypeError('Failed to fetch'))
    loadPage.mockResolvedValueOnce({ Page: () => null, load })
    await navigate('/products?page=2', {
      navigationType: 'replace',
      info: 'append',
      state: { appendedTo: '' },
    })
    expect(location.reload).toHaveBeenCalledOnce()
  })

  it('reads the query of an appended list from the history entry', async () => {
    const { navigate, store } = openBrowserAt('/products')
    await navigate('/products?page=2', {
      navigationType: 'replace',
      info: 'append',
      state: { appendedTo: 'category=Toys' },
    })
    const view = store.get(viewAtom)
    expect(view?.navigationType).toBe('append')
    expect(view?.location.appendedTo?.get('category')).toBe('Toys')
  })
})
