import { atom } from 'jotai'

/** How long a toast stays, in milliseconds (§ 4, § 9). */
const TOAST_MS = { success: 2000, info: 2000, error: 4000, blank: 4000 } as const
/** How many toasts are kept at most (§ 4). */
export const TOAST_LIMIT = 20
/** How long a toast takes to disappear; frame.css moves it out in this time. */
const LEAVING_MS = 200

export type ToastKind = keyof typeof TOAST_MS
type Toast = { id: number; kind: ToastKind; message: string; isLeaving: boolean }

const countAtom = atom(0)
const shownAtom = atom<readonly Toast[]>([])

/** The toasts on the screen, the newest first. */
export const toastsAtom = atom((get) => get(shownAtom))

/** Shows a toast for its time. */
export const showToastAtom = atom(null, (get, set, kind: ToastKind, message: string) => {
  const id = get(countAtom) + 1
  set(countAtom, id)
  set(shownAtom, (shown) => [{ id, kind, message, isLeaving: false }, ...shown].slice(0, TOAST_LIMIT))
  setTimeout(() => {
    set(shownAtom, (shown) => shown.map((toast) => (toast.id === id ? { ...toast, isLeaving: true } : toast)))
    setTimeout(() => set(shownAtom, (shown) => shown.filter((toast) => toast.id !== id)), LEAVING_MS)
  }, TOAST_MS[kind])
})
