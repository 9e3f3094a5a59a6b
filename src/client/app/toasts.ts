import { atom } from 'jotai'

const TOAST_MS = { success: 2000, info: 2000, error: 4000 } as const
/** The toast library enforces this limit (§ 4); the layout's end-to-end test checks the number. */
export const TOAST_LIMIT = 20

export type ToastKind = keyof typeof TOAST_MS

type ToastLibrary = typeof import('./toast-area.tsx').toastLibrary

export const toastLibraryAtom = atom<ToastLibrary>()

export const loadToastsAtom = atom(null, async (get, set) => {
  const library = get(toastLibraryAtom)
  if (library) return library
  const { toastLibrary } = await import('./toast-area.tsx').catch(() => ({ toastLibrary: undefined }))
  if (toastLibrary) set(toastLibraryAtom, toastLibrary)
  return toastLibrary
})

export const showToastAtom = atom(null, async (_get, set, kind: ToastKind, message: string) => {
  const library = await set(loadToastsAtom)
  const duration = TOAST_MS[kind]
  if (kind === 'info') library?.toast(message, { duration, className: 'toast--info' })
  else library?.toast[kind](message, { duration })
})
