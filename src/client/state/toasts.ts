import { atom } from 'jotai'

/** A toast as pages ask for it; lifetimes are the rules' (§ 4). */
export type ToastKind = 'success' | 'info' | 'error'

type PlainToast = { id: number; kind: ToastKind; message: string }

const askedAtom = atom(0)
const plainAtom = atom<readonly PlainToast[]>([])

/** How many toasts have been asked for since the page came; the toast library is fetched only then. */
export const toastsAskedAtom = atom((get) => get(askedAtom))

/** The toasts that do without the library, which was out of reach; the newest first. */
export const plainToastsAtom = atom((get) => get(plainAtom))

/** Shows a toast. Resolves when it has been handed over. Never rejects: a toast may have to say that there is no connection. */
export const showToastAtom = atom(null, async (get, set, kind: ToastKind, message: string) => {
  const id = get(askedAtom) + 1
  set(askedAtom, id)
  const library = await import('./push-toast.ts').catch(() => undefined)
  if (library) return library.pushToast(kind, message)
  set(plainAtom, (shown) => [{ id, kind, message }, ...shown].slice(0, TOAST_LIMIT))
  setTimeout(() => set(plainAtom, (shown) => shown.filter((toast) => toast.id !== id)), TOAST_MS[kind])
})

/** How long a toast stays, in milliseconds: cart toasts and successes 2 s, errors and blank ones 4 s (§ 4, § 9). */
export const TOAST_MS = { success: 2000, info: 2000, error: 4000, blank: 4000 } as const

/** How many toasts are kept at most (§ 4): the toast library's own limit, which the frame's test holds it to. */
export const TOAST_LIMIT = 20
