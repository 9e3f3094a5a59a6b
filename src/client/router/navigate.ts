/**
 * Goes to an address of this site, as a link to it would: inside the app where the router intercepts the navigation,
 * else as a document. `replace` leaves no history entry behind.
 */
export function navigate(address: string, { replace = false } = {}): void {
  location[replace ? 'replace' : 'assign'](address)
}
