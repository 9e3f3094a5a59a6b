/** How long a toast stays, in milliseconds: cart toasts and successes 2 s, errors and blank ones 4 s (§ 4, § 9). */
export const TOAST_MS = { success: 2000, info: 2000, error: 4000, blank: 4000 } as const

/** How many toasts are kept at most (§ 4): the toast library's own limit, which the frame's test holds it to. */
export const TOAST_LIMIT = 20
