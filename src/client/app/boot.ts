import { atom } from 'jotai'
import { DEFAULT_BOOT } from '#shared/boot.ts'

/** What the server sent about this request; set before the first render on both sides. */
export const bootAtom = atom(DEFAULT_BOOT)

/** The shop's public origin, for links that leave the shop; the server sets it before it renders. */
export const originAtom = atom('document' in globalThis ? location.origin : '')

type Connection = { saveData?: boolean }

/** Whether the visitor saves data, by the browser's setting or the request's header: data-saver images, no prefetching. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return connection?.saveData === true || document.documentElement.classList.contains('saves-data')
}
