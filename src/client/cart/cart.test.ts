import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStorage } from '../../../test/support/storage.ts'
import '#shared/cart/cart-schema.ts'
import { refreshCatalogue } from '#client/app/fetch-catalogue.ts'
import '#client/app/parse-catalogue.ts'
import { toastLibrary } from '#client/app/toast-area.tsx'
import { toastLibraryAtom } from '#client/app/toasts.ts'
import { addSelectedItemAtom } from '#client/catalogue/size-choice.tsx'
import { MAX_CART_LINES } from '#shared/cart/cart.ts'
import {
  addCardToCartAtom,
  addToCartAtom,
  linkedSizesAtom,
  selectedSizesAtom,
  selectSizeAtom,
} from './add-to-cart.ts'
import {
  clearCartAtom,
  confirmSizeAtom,
  loadCartCatalogueAtom,
  moveToCartAtom,
  removeLineAtom,
  removeUnitAtom,
  saveForLaterAtom,
  undoableRemovalAtom,
  undoRemovalAtom,
} from './cart-actions.ts'
import { applyCartChangesAtom, cartChangesAtom, checkCartChangesAtom } from './price-changes.ts'
import { limitCartToStockAtom } from './stock.ts'
import { cartAtom, cartLineCountAtom } from './stored-cart.ts'

// The schema, the catalogue's parser and the toasts are imported in advance, so that no test waits for them.

const product = (id: number, title = `Product ${id}`) => ({
  id,
  title,
  description: 'Soft.',
  price: 100,
  image: '/x.svg',
})

const more = { category: 'Footwear', rating: { rate: 4 } }
const sizes = [
  { id: 10, label: 'EU 36' },
  { id: 11, label: 'EU 37', price: 120 },
]

let stored: Map<string, string>
let events: EventTarget
let isFull = false

function openTab() {
  const store = createStore()
  store.sub(cartLineCountAtom, () => {})
  return store
}

/** Returns the toasts shown from now on. */
function recordToasts(store: ReturnType<typeof openTab>) {
  const toasts: [kind: string, message: unknown][] = []
  const recordToast = (kind: string) => (message: unknown) => String(toasts.push([kind, message]))
  const kinds = { success: recordToast('success'), error: recordToast('error') }
  const toast = Object.assign(recordToast('info'), toastLibrary.toast, kinds)
  store.set(toastLibraryAtom, { ...toastLibrary, toast })
  return toasts
}

function storageEvent(key: string | null) {
  events.dispatchEvent(Object.assign(new Event('storage'), { key }))
}

beforeEach(() => {
  stored = new Map()
  events = new EventTarget()
  isFull = false
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  vi.stubGlobal('document', { documentElement: { classList: { contains: () => false } } })
  vi.stubGlobal('localStorage', {
    ...createStorage(stored),
    setItem(key: string, value: string) {
      if (isFull) throw new DOMException('full', 'QuotaExceededError')
      stored.set(key, value)
    },
  })
})
afterEach(() => vi.unstubAllGlobals())

const readStoredCart = () => JSON.parse(stored.get('cart') ?? 'null')
const qtyById = (cart: readonly { id: number; qty: number }[] | undefined) =>
  Object.fromEntries((cart ?? []).map(({ id, qty }) => [id, qty]))

describe('the cart in the browser', () => {
  it('is undefined until mounted, then read from storage', async () => {
    stored.set('cart', JSON.stringify([{ ...product(1), qty: 2 }]))
    const store = createStore()
    expect(store.get(cartAtom)).toBeUndefined()
    store.sub(cartLineCountAtom, () => {})
    await vi.waitFor(() => expect(qtyById(store.get(cartAtom))).toEqual({ 1: 2 }))
  })

  it('is stored after each add and each removal', () => {
    const store = openTab()
    store.set(addToCartAtom, product(1))
    store.set(addToCartAtom, product(1))
    expect(qtyById(readStoredCart())).toEqual({ 1: 2 })
    store.set(removeUnitAtom, 1)
    expect(qtyById(readStoredCart())).toEqual({ 1: 1 })
    store.set(removeLineAtom, 1)
    expect(readStoredCart()).toEqual([])
  })

  it('deletes its key when cleared', () => {
    const store = openTab()
    store.set(addToCartAtom, product(1))
    store.set(clearCartAtom)
    expect(stored.has('cart')).toBe(false)
    expect(store.get(cartAtom)).toEqual([])
  })

  it('merges its changes into the cart that another tab stored', async () => {
    const [one, other] = [openTab(), openTab()]
    one.set(addToCartAtom, product(1))
    other.set(addToCartAtom, product(2))
    one.set(addToCartAtom, product(2))
    await vi.waitFor(() => expect(qtyById(readStoredCart())).toEqual({ 1: 1, 2: 2 }))
    storageEvent('cart')
    await vi.waitFor(() => expect(qtyById(one.get(cartAtom))).toEqual({ 1: 1, 2: 2 }))
  })

  it('follows another tab’s changes, including a cleared storage', async () => {
    const store = openTab()
    stored.set('cart', JSON.stringify([{ ...product(5), qty: 3 }]))
    storageEvent('other')
    expect(store.get(cartAtom)).toEqual([])
    storageEvent('cart')
    await vi.waitFor(() => expect(qtyById(store.get(cartAtom))).toEqual({ 5: 3 }))
    stored.clear()
    storageEvent(null)
    expect(store.get(cartAtom)).toEqual([])
  })

  it('keeps changes in memory while storage is full and saves them once there is room', async () => {
    stored.set('cart', JSON.stringify([{ ...product(1), qty: 1 }]))
    const store = openTab()
    await vi.waitFor(() => expect(store.get(cartLineCountAtom)).toBe(1))
    isFull = true
    store.set(addToCartAtom, product(2))
    store.set(addToCartAtom, product(3))
    expect(qtyById(store.get(cartAtom))).toEqual({ 1: 1, 2: 1, 3: 1 })
    storageEvent('cart')
    expect(store.get(cartLineCountAtom)).toBe(3)
    isFull = false
    store.set(removeUnitAtom, 2)
    expect(qtyById(readStoredCart())).toEqual({ 1: 1, 3: 1 })
  })

  it('applies changes made while the stored cart is being parsed, in order', async () => {
    stored.set('cart', JSON.stringify([{ ...product(1), qty: 2 }]))
    const store = openTab()
    store.set(addToCartAtom, product(2))
    store.set(addToCartAtom, product(2))
    store.set(removeUnitAtom, 1)
    await vi.waitFor(() => expect(qtyById(readStoredCart())).toEqual({ 1: 1, 2: 2 }))
  })

  it('can be changed and cleared without any storage', () => {
    vi.stubGlobal('localStorage', undefined)
    const store = openTab()
    store.set(addToCartAtom, product(1))
    store.set(addToCartAtom, product(2))
    store.set(removeUnitAtom, 1)
    expect(qtyById(store.get(cartAtom))).toEqual({ 2: 1 })
    store.set(clearCartAtom)
    expect(store.get(cartAtom)).toEqual([])
  })

  it('completes lines that were added from product cards, or stored incomplete, from the catalogue', async () => {
    const item = {
      ...product(1, 'Romper'),
      description: 'y'.repeat(300),
      category: 'Clothing',
      rating: { rate: 4.5 },
    }
    vi.stubGlobal('fetch', async () => Response.json([item, { ...item, id: 10, scale: 'shoe', sizes }]))
    const store = openTab()
    void store.set(addCardToCartAtom, { ...product(1, 'Romper'), description: `${'y'.repeat(90)}…` })
    expect(readStoredCart()).toMatchObject([{ description: 'y'.repeat(90) }])
    await vi.waitFor(() => expect(readStoredCart()[0].category).toBe('Clothing'))
    expect(readStoredCart()).toEqual([{ ...item, description: 'y'.repeat(101), qty: 1 }])

    store.set(cartAtom, (cart) => cart.map((line) => ({ ...line, description: 'y'.repeat(91) })))
    store.set(addToCartAtom, product(10))
    await store.set(loadCartCatalogueAtom)
    expect(readStoredCart()).toMatchObject([{ description: 'y'.repeat(101) }, { size: 'EU 36' }])
    expect(readStoredCart()[0].size).toBeUndefined()
  })

  it('lists and applies catalogue changes, but lists none while offline', async () => {
    const store = openTab()
    for (const id of [1, 2, 3]) store.set(addToCartAtom, product(id))
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')))
    await store.set(checkCartChangesAtom)
    expect(store.get(cartChangesAtom)).toEqual([])

    const items = [{ ...product(1), price: 12_000 }, product(3)]
    vi.stubGlobal('fetch', async () =>
      Response.json(items.map((item) => ({ ...item, category: 'Clothing', rating: { rate: 4.5 } }))),
    )
    await store.set(checkCartChangesAtom)
    expect(store.get(cartChangesAtom)).toEqual([
      'Product 1 now costs KSH 12000 (was KSH 100).',
      'Product 2 is no longer available.',
    ])
    store.set(applyCartChangesAtom)
    expect(store.get(cartAtom)?.map(({ id, price }) => [id, price])).toEqual([
      [1, 12_000],
      [3, 100],
    ])
    expect(store.get(cartChangesAtom)).toEqual([])
  })

  it.each([
    ['the first, not confirmed by the shopper', {}, {}, { id: 10, size: 'EU 36', isSizeAssumed: true }],
    ['the one remembered for its scale', { shoe: 'EU 37' }, {}, { id: 11, size: 'EU 37' }],
    [
      'the first if the product lacks that one',
      { shoe: 'EU 42' },
      {},
      { id: 10, size: 'EU 36', isSizeAssumed: true },
    ],
    ['the first in stock', {}, { 10: 0 }, { id: 11, size: 'EU 37', isSizeAssumed: true }],
    [
      'the first in stock if the remembered one is sold out',
      { shoe: 'EU 37' },
      { 11: 0 },
      { id: 10, size: 'EU 36', isSizeAssumed: true },
    ],
  ])('chooses the size of a product added from a card: %s', async (_what, chosen, left, line) => {
    stored.set('sizes', JSON.stringify(chosen))
    vi.stubGlobal('fetch', async () => Response.json([{ ...product(10), ...more, scale: 'shoe', sizes }]))
    await refreshCatalogue()
    const store = openTab()
    await store.set(addCardToCartAtom, { ...product(10), scale: 'shoe' }, left)
    const [{ id, size, isSizeAssumed, qty }] = readStoredCart()
    expect({ id, size, isSizeAssumed, qty }).toEqual({ isSizeAssumed: undefined, qty: 1, ...line })
  })

  it.each([
    [1, 'The last one is already in your cart.'],
    [2, 'All 2 we have left are already in your cart.'],
  ])('takes no more from a product’s page than the %i left', async (left, message) => {
    const store = openTab()
    const toasts = recordToasts(store)
    const shown = { ...product(1, 'Romper'), category: 'Toys' }
    for (let n = 0; n <= left; n++) store.set(addSelectedItemAtom, shown, { 1: left })
    expect(qtyById(readStoredCart())).toEqual({ 1: left })
    await vi.waitFor(() => expect(toasts.at(-1)).toEqual(['info', message]))
  })

  it('keeps the sizes that a link named on other scales when the shopper selects a size', () => {
    const store = openTab()
    store.set(linkedSizesAtom, { age: '2–3 years', shoe: 'EU 36' })
    store.set(selectSizeAtom, 'shoe', 'EU 37')
    expect(store.set(selectedSizesAtom)).toEqual({ age: '2–3 years', shoe: 'EU 37' })
    expect(JSON.parse(stored.get('sizes') ?? '')).toEqual({ shoe: 'EU 37' })
  })

  it("undoes a removal until the next change, but never another tab's changes", async () => {
    const store = openTab()
    for (const id of [1, 2, 3]) store.set(addToCartAtom, product(id))
    const removeAndUndo = async (remove: () => void, meanwhile = () => {}) => {
      remove()
      await vi.waitFor(() => expect(store.get(undoableRemovalAtom)).toBeDefined())
      meanwhile()
      const isOffered = store.get(undoableRemovalAtom) !== undefined
      store.set(undoRemovalAtom)
      return [isOffered, store.get(cartAtom)?.map(({ id }) => id)]
    }
    expect(await removeAndUndo(() => store.set(removeUnitAtom, 2))).toEqual([true, [1, 2, 3]])
    // The second tap comes before the line has left the screen.
    const tapAgain = () => store.set(removeUnitAtom, 2)
    expect(await removeAndUndo(() => store.set(removeUnitAtom, 2), tapAgain)).toEqual([true, [1, 2, 3]])
    expect(await removeAndUndo(() => store.set(removeLineAtom, 1))).toEqual([true, [1, 2, 3]])
    expect(await removeAndUndo(() => store.set(clearCartAtom))).toEqual([true, [1, 2, 3]])
    const add = () => store.set(addToCartAtom, product(4))
    expect(await removeAndUndo(() => store.set(removeUnitAtom, 3), add)).toEqual([false, [1, 2, 4]])
    // Another tab removed the line while the Remove Item dialog was open.
    store.set(removeLineAtom, 3)
    expect(store.get(undoableRemovalAtom)).toBeUndefined()

    const other = openTab()
    const addInOtherTab = () => stored.set('cart', JSON.stringify([{ ...product(5), qty: 1 }]))
    expect(await removeAndUndo(() => store.set(clearCartAtom), addInOtherTab)).toEqual([true, []])
    other.set(cartAtom)
    await vi.waitFor(() => expect(readStoredCart()).toMatchObject([{ id: 5 }]))
  })

  it('dismisses its toasts when it changes again, except for further additions', async () => {
    const store = openTab()
    const dismiss = vi.fn()
    const toast = Object.assign(() => '', toastLibrary.toast, { dismiss })
    store.set(toastLibraryAtom, { ...toastLibrary, toast })
    store.set(addToCartAtom, product(1))
    store.set(addToCartAtom, product(1))
    expect(dismiss).toHaveBeenCalledTimes(0)
    store.set(removeUnitAtom, 1)
    store.set(removeUnitAtom, 1)
    store.set(undoRemovalAtom)
    expect(dismiss).toHaveBeenCalledTimes(3)
    store.set(removeLineAtom, 1)
    store.set(clearCartAtom)
    expect(dismiss).toHaveBeenCalledTimes(5)
    store.set(confirmSizeAtom, 1)
    store.set(limitCartToStockAtom, 1)
    expect(dismiss).toHaveBeenCalledTimes(7)
  })

  it('shows a toast when products are added, removed or saved, and when the cart is cleared', async () => {
    const store = openTab()
    const toasts = recordToasts(store)
    store.set(addToCartAtom, product(1, 'Romper'), 'card')
    store.set(addToCartAtom, product(1, 'Romper'))
    store.set(removeUnitAtom, 1)
    store.set(removeUnitAtom, 1)
    store.set(addToCartAtom, product(1, 'Romper'))
    store.set(removeLineAtom, 1)
    store.set(clearCartAtom)
    store.set(saveForLaterAtom, [{ ...product(1), qty: 1 }])
    store.set(moveToCartAtom, { ...product(1, 'Romper'), qty: 1 })
    await vi.waitFor(() => expect(toasts).toHaveLength(8))
    expect(toasts).toEqual([
      ['success', 'Added to cart'],
      ['success', 'Added Romper to cart'],
      ['info', 'Removed Romper from cart'],
      ['success', 'Added Romper to cart'],
      ['success', 'Removed Romper from cart'],
      ['info', 'Cart cleared'],
      ['info', 'Saved for later'],
      ['success', 'Added Romper to cart'],
    ])
  })

  it('shows which limit stops lines from being saved or moved to the cart', async () => {
    const store = openTab()
    const toasts = recordToasts(store)
    const full = [1, ...Array.from({ length: MAX_CART_LINES - 1 }, (_, n) => n + 3)].map((id) => ({
      ...product(id),
      qty: 90,
    }))
    await store.set(cartAtom, () => full)
    const [shirt, shawl] = [
      { ...product(1, 'Shirt'), size: 'S', qty: 10 },
      { ...product(2, 'Shawl'), qty: 1 },
    ]
    store.set(moveToCartAtom, shirt)
    store.set(moveToCartAtom, shawl)
    store.set(saveForLaterAtom, full)
    store.set(saveForLaterAtom, [shirt])
    store.set(saveForLaterAtom, [shawl])
    await vi.waitFor(() => expect(toasts).toHaveLength(5))
    expect(toasts.map(([, message]) => message)).toEqual([
      'Your cart can hold up to 99 of Shirt, S.',
      'Your cart is full. It can hold up to 100 different products.',
      'Saved for later',
      'You can save up to 99 of Shirt, S.',
      'You can save up to 100 different products.',
    ])
  })
})
