import { atom } from 'jotai'
import { DEFAULT_BOOT } from '#shared/boot.ts'

/** Request data from the server; set before the first render on both sides. */
export const bootAtom = atom(DEFAULT_BOOT)

/** The shop's public origin, for links that leave the shop; the server sets it before it renders. */
export const originAtom = atom('document' in globalThis ? location.origin : '')

type Connection = { saveData?: boolean }

/** Returns true under Save-Data, which turns off prefetching. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return connection?.saveData === true || document.documentElement.classList.contains('saves-data')
}
