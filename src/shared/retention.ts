/** Retention periods in days (§ 9). The scheduled run deletes older data. */
export const RETENTION_DAYS = {
  activity: 180,
  messages: 365,
  /** Queueing the back-in-stock email deletes the request earlier. */
  stockAlerts: 180,
  visitSpeeds: 90,
  deliveredEmails: 90,
  failedEmails: 180,
  /** Counted from the link's expiry. For this long, the page can say why the link doesn't work. */
  resetLink: 7,
  /**
   * Counted from registration. Accounts with a verified email address or with records, such as orders, aren't deleted.
   */
  unusedAccount: 365,
} as const

/** Bookkeeping records must be retained for five years after their financial year ends, which is up to six years. */
export const ORDER_RETENTION_YEARS = 6

/**
 * A return can be requested for this long after delivery. An exchange's items must arrive within the same time
 * after approval.
 */
export const RETURN_DAYS = 14
