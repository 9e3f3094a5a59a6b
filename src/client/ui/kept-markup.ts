import { atom } from 'jotai'
import type { ReactNode } from 'react'

/** The markup of a list's entries, made from them the first time the list is shown. */
export type KeptMarkup = (list: readonly object[], entries: () => ReactNode) => string

/**
 * Set on the server alone, where rendering the same cards for every visitor would be most of the work: there a list
 * shows kept markup. React wakes it in the browser as if it had rendered the entries this time, too.
 */
export const keptMarkupAtom = atom<KeptMarkup | undefined>(undefined)
