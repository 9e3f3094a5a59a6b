import { atom } from 'jotai'
import { DEFAULT_BOOT } from '#shared/boot.ts'

/** Must be set before the first render, with data from the server or the service worker. */
export const bootAtom = atom(DEFAULT_BOOT)

/** The shop's public origin, for links that shoppers share. The server sets it before rendering. */
export const originAtom = atom('document' in globalThis ? location.origin : '')

type NetworkInformation = { saveData?: boolean }

export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: NetworkInformation }
  return connection?.saveData === true || document.documentElement.classList.contains('saves-data')
}
