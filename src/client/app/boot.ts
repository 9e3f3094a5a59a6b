import { atom } from 'jotai'
import type { Boot } from '#shared/boot.ts'
import { shop } from '#shared/shop.ts'

/** What the server sent about this request; set before the first render on both sides. */
export const bootAtom = atom<Boot>({
  visitor: null,
  isSessionAging: false,
  savesData: false,
  nowMs: 0,
  clock: '',
  timeZone: shop.timeZone,
  year: '',
  apiBase: '/api',
  payments: ['simulated'],
  delivery: { zones: {}, highestFeeKsh: null, pickup: '' },
  hasServiceWorker: true,
  storedAtMs: null,
  isSlow: false,
  chatScript: null,
  isHomeApart: false,
})

type Connection = { saveData?: boolean }

/** Whether the visitor saves data, by the browser's setting or the request's header: data-saver images, no prefetching. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return connection?.saveData === true || document.documentElement.classList.contains('saves-data')
}
