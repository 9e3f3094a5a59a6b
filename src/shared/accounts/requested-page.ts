/**
 * This cookie names the protected page that redirected to Login. Login explains the redirect and deletes the
 * cookie.
 */
export const REQUESTED_PAGE_COOKIE = 'requested'
export const requestedPageOptions = { path: '/', maxAge: 300, sameSite: 'Lax' } as const
