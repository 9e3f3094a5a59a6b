import { atom } from 'jotai'
import type { View } from './page.ts'

/** What is on the screen; set before the first render on both sides. */
export const viewAtom = atom<View | null>(null)

/** What screen readers are told after a route change; empty on a full load. */
export const announcementAtom = atom('')
