import { atom } from 'jotai'
import { DEFAULT_BOOT } from '#shared/boot.ts'

/** What the server sent about this request; set before the first render on both sides. */
export const bootAtom = atom(DEFAULT_BOOT)

type Connection = { saveData?: boolean }

/** Whether the visitor saves data, by the browser's setting or the request's header: no prefetching. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return connection?.saveData === true || document.documentElement.classList.contains('saves-data')
}
