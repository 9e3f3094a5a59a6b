import assets from 'virtual:client-assets'
import { createStore, Provider } from 'jotai'
import { renderToStaticMarkup } from 'react-dom/server.node'
import { bootAtom, originAtom } from '#client/app/boot.ts'
import { clockPlaceholderAtom } from '#client/app/clock.ts'
import { parseLocation, viewAtom } from '#client/app/router/page.ts'
import { createServerSource } from '#client/app/router/page-data.tsx'
import { App, createView, loadPage } from '#client/app.tsx'
import { type MarkupCache, markupCacheAtom } from '#client/ui/cached-list.tsx'
import { fetchIdleSections } from '#client/ui/idle-section.tsx'
import { renderSlot } from '#server/platform/page-cache/slots.ts'
import { type Boot, serializeBoot, serializeDataBlock } from '#shared/boot.ts'
import { parseClock } from '#shared/greeting.ts'
import type { PageData } from '#shared/page-data.ts'
import { getPageDefinition, type PageName } from '#shared/routes.ts'
import { shop, shopProfile } from '#shared/shop.ts'
import {
  DOCUMENT_END,
  INDEXED_PAGES,
  type PageHead,
  renderDocumentStart,
  renderStartScript,
} from './document.ts'
import { streamPage } from './stream.ts'

type RenderOptions<Name extends PageName> = {
  name: Name
  url: URL
  boot: Boot
  banner: string
  data: PageData[Name] | Promise<PageData[Name]>
  head: Partial<PageHead>
  toBlock?: (data: PageData[Name]) => unknown
  origin: string
  nonce: string
  /** Whether to wait for the whole page before the first byte, for bots and the page cache. */
  waitsForAll: boolean
  /** Whether to leave placeholders for values that differ between requests. */
  hasSlots: boolean
  signal: AbortSignal
  onError: (error: unknown) => void
}

export async function renderPage<Name extends PageName>(options: RenderOptions<Name>) {
  const { name, url, boot, data, toBlock = (sent) => sent, origin, hasSlots } = options
  const location = parseLocation(url)
  const store = createStore()
  store.set(bootAtom, boot)
  store.set(originAtom, origin)
  const encoded = new Map<string, Uint8Array>()
  const cachedText = (texts: TextCache, key: object, createText: () => string) => {
    const { text, bytes } = texts.get(key) ?? encodeText(createText())
    texts.set(key, { text, bytes })
    encoded.set(text, bytes)
    return text
  }
  const markupCache: MarkupCache = (list, renderItems) =>
    cachedText(listMarkupCache[boot.savesData ? 'saver' : 'full'], list, () =>
      renderStaticMarkup(renderItems()),
    )
  store.set(markupCacheAtom, () => markupCache)
  if (hasSlots) {
    store.set(clockPlaceholderAtom, { ...parseClock(boot.clock), text: renderSlot('clock') })
  }
  const page = await loadPage(name)
  await fetchIdleSections()
  const source = createServerSource(data, (sent) =>
    sent === null
      ? serializeDataBlock(sent)
      : cachedText(dataBlockCache, sent, () => serializeDataBlock(toBlock(sent))),
  )
  store.set(viewAtom, createView(page, location, source, { key: 'first', navigationType: 'load' }))

  const head: PageHead = {
    ...getPageDefinition(name),
    description: pageDescriptions[name],
    isIndexed: INDEXED_PAGES.includes(name),
    ...(name === 'notFound' ? {} : { canonical: origin + location.pathname }),
    image: { url: `${origin}/images/share.png`, width: 1200, height: 630 },
    jsonLd: [],
    ...options.head,
  }
  return streamPage(
    <Provider store={store}>
      <App />
    </Provider>,
    {
      ...options,
      encoded,
      start: renderDocumentStart(head, hasSlots ? renderSlot('boot') : serializeBoot(boot), assets, {
        savesData: boot.savesData,
        banner: hasSlots ? renderSlot('banner') : options.banner,
      }),
      afterShell: (isStreaming) => renderStartScript(assets, name, isStreaming),
      end: DOCUMENT_END,
    },
  )
}

/** Caches encoded texts, because encoding them for each request would be slow. */
type TextCache = WeakMap<object, { text: string; bytes: Uint8Array }>

/** Save-Data changes the markup of pictures, so `saver` is a separate cache. */
const listMarkupCache: Record<'full' | 'saver', TextCache> = { full: new WeakMap(), saver: new WeakMap() }
const dataBlockCache: TextCache = new WeakMap()
const encoder = new TextEncoder()

function encodeText(text: string) {
  return { text, bytes: encoder.encode(text) }
}

/** Matches the links that React adds before the markup to preload images that aren't lazy. */
const PRELOAD_LINKS_PATTERN = /^(<link [^>]*>)+/

function renderStaticMarkup(items: React.ReactNode): string {
  return renderToStaticMarkup(items).replace(PRELOAD_LINKS_PATTERN, '')
}

const pageDescriptions: Record<PageName, string> = {
  home: shopProfile.description,
  shop: `Organic clothing, toys, nursery and feeding essentials for children and women, priced in ${shop.currency}.`,
  product: `A product from ${shop.name}, ${shop.city}.`,
  about: `Crafting childhood memories: how ${shop.name} designs adaptive, sustainable clothing in ${shop.city}.`,
  contact: `Contact ${shop.name}. We reply ${shop.replyPromise}.`,
  buy: `Items at ${shop.name}, ready for your cart.`,
  cart: 'The items in your cart.',
  checkout: 'Billing details and payment.',
  dashboard: 'Manage your account and view your orders.',
  accountDetails: 'Your name, address and phone number.',
  accountPassword: 'Change your password.',
  accountDevices: 'Devices where you’re logged in.',
  accountData: 'Download your data or delete your account.',
  login: `Log in to your ${shop.name} account.`,
  register: `Join ${shop.name}: create an account to check out and track your orders.`,
  forgotPassword: 'Get a link to reset your password.',
  resetPassword: 'Choose a new password for your account.',
  findOrder: 'Get a link to your order.',
  order: 'Your order and its status.',
  notFound: "The page you're looking for seems to have vanished.",
}
