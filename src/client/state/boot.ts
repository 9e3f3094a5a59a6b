import { atom } from 'jotai'
import type { Boot } from '#shared/boot.ts'
import { shop } from '#shared/shop.ts'

/** What the server said about this request; set before the first render on both sides. */
export const bootAtom = atom<Boot>({ visitor: null, nowMs: 0, timeZone: shop.timeZone, apiBase: '/api' })
