import { atom } from 'jotai'
import { createStoredAtom, parseStringRecord, type StoredAtom } from './stored-atom.ts'

/** The typed text by field name. Drafts never contain passwords or card details. */
export type Draft = Readonly<Record<string, string>>
export type DraftAtom = StoredAtom<Draft, Draft>

export const contactDraftAtom = createStoredAtom<Draft>({
  key: 'contact',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
  serialize: (draft) => (Object.values(draft).some(Boolean) ? JSON.stringify(draft) : null),
})

/** The `account` field is the email of the user who typed the draft. */
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

/** Shared by forms such as Login and Register, so that shoppers type their email only once. */
export const accountDraftAtom = createDraftAtom()
