/** Holds the protected page that led to Login, which says why it is shown and deletes the cookie. */
export const REQUESTED_PAGE_COOKIE = 'requested'
export const requestedPageOptions = { path: '/', maxAge: 300, sameSite: 'Lax' } as const
