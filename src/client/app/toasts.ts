import { atom } from 'jotai'

/** How long a toast is shown, in milliseconds (§ 4, § 9). */
const TOAST_MS = { success: 2000, info: 2000, error: 4000 } as const
/** The maximum number of toasts (§ 4): the toast library's own limit, checked by the layout's test. */
export const TOAST_LIMIT = 20

export type ToastKind = keyof typeof TOAST_MS

type ToastLibrary = typeof import('./toast-area.tsx').toastLibrary

/** The toast library, once it is loaded: it is no part of a first load. */
export const toastLibraryAtom = atom<ToastLibrary>()

/** Loads the toast library; resolves to undefined where it cannot be fetched. */
export const loadToastsAtom = atom(null, async (get, set) => {
  const known = get(toastLibraryAtom)
  if (known) return known
  const { toastLibrary } = await import('./toast-area.tsx').catch(() => ({ toastLibrary: undefined }))
  if (toastLibrary) set(toastLibraryAtom, toastLibrary)
  return toastLibrary
})

/** Shows a toast for its time. */
export const showToastAtom = atom(null, async (_get, set, kind: ToastKind, message: string) => {
  const library = await set(loadToastsAtom)
  const duration = TOAST_MS[kind]
  if (kind === 'info') library?.toast(message, { duration, className: 'toast--info' })
  else library?.toast[kind](message, { duration })
})
