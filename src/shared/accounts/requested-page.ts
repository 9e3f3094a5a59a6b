/** The protected page that redirected to Login. Login says why it is shown and deletes the cookie. */
export const REQUESTED_PAGE_COOKIE = 'requested'
export const requestedPageOptions = { path: '/', maxAge: 300, sameSite: 'Lax' } as const
