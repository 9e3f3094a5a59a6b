import { atom } from 'jotai'

/** What stands in the account forms' fields, by name; never a password. */
const typedAtom = atom<Readonly<Record<string, string>>>({})

/** What the shopper has typed into an account form, for the next one, and for coming back; lasts as long as the page. */
export const typedAccountAtom = atom(
  (get) => get(typedAtom),
  (get, set, field: HTMLInputElement) => {
    if (field.type !== 'password') set(typedAtom, { ...get(typedAtom), [field.name]: field.value })
  },
)
