import { atom } from 'jotai'
import { createStoredAtom, parseStringRecord, type StoredAtom } from './stored-atom.ts'

/** Maps a field's name to the text typed into it. Never contains passwords or card details. */
export type Draft = Readonly<Record<string, string>>
export type DraftAtom = StoredAtom<Draft, Draft>

/**
 * The contact form's draft. It survives failures, navigation and reloads. Sending it, a logout or closing the tab
 * deletes it.
 */
export const contactDraftAtom = createStoredAtom<Draft>({
  key: 'contact',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
  serialize: (draft) => (Object.values(draft).some(Boolean) ? JSON.stringify(draft) : null),
})

/**
 * The checkout form's draft and the email of its account. Placing the order, a logout or closing the tab deletes
 * it.
 */
export const storedBillingAtom = createStoredAtom<Draft>({
  key: 'billing',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
})

export function createDraftAtom(): DraftAtom {
  const typedAtom = atom<Draft>({})
  return atom(
    (get) => get(typedAtom),
    (get, set, change) => {
      if (change) set(typedAtom, change(get(typedAtom)) ?? {})
      return get(typedAtom)
    },
  )
}

/** A draft that several forms share, such as Login and Register, so that shoppers type their email only once. */
export const accountDraftAtom = createDraftAtom()
