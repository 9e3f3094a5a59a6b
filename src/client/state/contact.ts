import { atom } from 'jotai'
import { CONTACT_FIELDS, type ContactForm } from '#shared/rules/contact-form.ts'

const STORAGE_KEY = 'contact'
export const EMPTY_CONTACT: ContactForm = { name: '', email: '', message: '' }

const memoryAtom = atom<ContactForm | undefined>(undefined)

/**
 * What the shopper has written so far; undefined until the form has begun it. It outlives failures, other pages and
 * a reload, and ends with the tab. Setting it empty forgets it.
 */
export const contactDraftAtom = atom(
  (get) => get(memoryAtom),
  (_get, set, draft: ContactForm) => {
    set(memoryAtom, draft)
    try {
      if (isEmpty(draft)) sessionStorage.removeItem(STORAGE_KEY)
      else sessionStorage.setItem(STORAGE_KEY, JSON.stringify(draft))
    } catch {
      // Storage is full or forbidden: the memory of this page still serves.
    }
  },
)

/** Begins the draft with what stands in the form's fields (typed before the page woke), the rest with what was kept. */
export const beginContactDraftAtom = atom(null, (get, set, shown: ContactForm) => {
  const draft = { ...(get(memoryAtom) ?? stored()) }
  for (const field of CONTACT_FIELDS) draft[field] = shown[field] || draft[field]
  set(contactDraftAtom, draft)
})

function isEmpty(draft: ContactForm): boolean {
  return CONTACT_FIELDS.every((field) => draft[field] === '')
}

function stored(): ContactForm {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}')
    const draft = { ...EMPTY_CONTACT }
    for (const field of CONTACT_FIELDS) {
      const text = kept && typeof kept === 'object' ? Reflect.get(kept, field) : ''
      if (typeof text === 'string') draft[field] = text
    }
    return draft
  } catch {
    return EMPTY_CONTACT
  }
}
