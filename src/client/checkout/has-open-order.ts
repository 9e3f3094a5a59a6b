import { atom } from 'jotai'

/** Reads what `start.ts` found, because importing the attempt's schema would enlarge every first load. */
export const hasOpenOrderAtom = atom(false)
hasOpenOrderAtom.onMount = (set) => set('order' in document.documentElement.dataset)
