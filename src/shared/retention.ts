/** How long the shop stores what, in days; the privacy section states it, and the scheduled run deletes what is older. */
export const RETENTION_DAYS = {
  /** Sign-ins and changes of an account. */
  activity: 180,
  messages: 365,
  /** Addresses that wait for an item to come back; otherwise until the mail about it is sent. */
  stockAlerts: 180,
  /** How fast pages were; nothing of anybody. */
  visitSpeeds: 90,
  /** After it was delivered. */
  deliveredMail: 90,
  /** After it was written, where it could not be delivered. */
  failedMail: 180,
  /** After its end, so that its link can still say why it does not work. */
  resetLink: 7,
  /** Without a confirmed address, without an order and without being signed in to. */
  unusedAccount: 365,
} as const

/** How long orders name the person: the books are kept for five years after the end of the year. */
export const ORDER_RETENTION_YEARS = 6

/** How long unworn things can be sent back, in days. */
export const RETURN_DAYS = 14
