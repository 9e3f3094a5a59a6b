import { atom } from 'jotai'

/** A toast as pages ask for it; lifetimes are the rules' (§ 4). */
export type ToastKind = 'success' | 'info' | 'error'

const wantedAtom = atom(false)

/** Whether a toast has been asked for since the page came; the toast library is fetched only then. */
export const toastsWantedAtom = atom((get) => get(wantedAtom))

/** Shows a toast. Resolves when it has been handed over. */
export const showToastAtom = atom(null, async (_get, set, kind: ToastKind, message: string) => {
  set(wantedAtom, true)
  const { pushToast } = await import('./push-toast.ts')
  pushToast(kind, message)
})
