import toast from 'react-hot-toast/headless'
import { TOAST_MS, type ToastKind } from './toasts.ts'

/** Hands a toast to the library, with its lifetime (§ 4). */
export function pushToast(kind: ToastKind, message: string): void {
  if (kind === 'info') toast(message, { className: 'toast--info', duration: TOAST_MS.info })
  else toast[kind](message, { duration: TOAST_MS[kind] })
}
