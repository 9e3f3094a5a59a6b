import { atom } from 'jotai'
import { parseStringRecord, type StoredAtom, storedAtom } from './stored-atom.ts'

/** What has been typed into a form, by field name; never a password or a card. */
export type Draft = Readonly<Record<string, string>>
export type DraftAtom = StoredAtom<Draft, Draft>

/** The message to the shop: outlives failures, other pages and a reload; ends with a logout or the tab. */
export const contactDraftAtom = storedAtom<Draft>({
  key: 'contact',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
  serialize: (draft) => (Object.values(draft).some(Boolean) ? JSON.stringify(draft) : null),
})

/** What has been typed into checkout's form, with the account it belongs to; ends with the order, a logout or the tab. */
export const storedBillingAtom = storedAtom<Draft>({
  key: 'billing',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
})

/** What is typed into a form that has a draft of its own; lasts as long as its owner. */
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

/** What the account forms share, so that an address is typed once; lasts as long as the page. */
export const accountDraftAtom = createDraftAtom()
