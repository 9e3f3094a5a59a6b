/** In days. The privacy section states these periods, and the scheduled job deletes older data. */
export const RETENTION_DAYS = {
  activity: 180,
  messages: 365,
  /** An upper limit: sending the back-in-stock email deletes the request. */
  stockAlerts: 180,
  visitSpeeds: 90,
  deliveredMail: 90,
  failedMail: 180,
  /** Counted from its expiry, so that an expired link can still say why it doesn't work. */
  resetLink: 7,
  /** For accounts without a confirmed address, orders or sign-ins. */
  unusedAccount: 365,
} as const

/** Bookkeeping records must be retained for five years after their financial year ends, so up to six years in all. */
export const ORDER_RETENTION_YEARS = 6

/** How long after delivery a return can be requested, and after approval an exchange's items can arrive. */
export const RETURN_DAYS = 14
