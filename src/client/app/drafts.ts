import { atom } from 'jotai'
import { parseStringRecord, type StoredAtom, storedAtom } from './stored-atom.ts'

/** Maps a field's name to the text typed into it. Never contains passwords or card details. */
export type Draft = Readonly<Record<string, string>>
export type DraftAtom = StoredAtom<Draft, Draft>

/** Survives failures, navigation and reloads; cleared on logout or when the tab closes. */
export const contactDraftAtom = storedAtom<Draft>({
  key: 'contact',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
  serialize: (draft) => (Object.values(draft).some(Boolean) ? JSON.stringify(draft) : null),
})

/** The checkout form and the account it belongs to; cleared by the order, on logout or when the tab closes. */
export const storedBillingAtom = storedAtom<Draft>({
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

/** Shared by the account forms so that shoppers type their email once. */
export const accountDraftAtom = createDraftAtom()
