import { RESET_LINK_PROBLEMS } from '#shared/accounts/password-reset.ts'

/** Every failure the API can answer with: its HTTP status and the sentence for people. */
export const errors = {
  bad_request: { status: 400, message: 'That request could not be read. Please check it and try again.' },
  malformed_json: { status: 400, message: 'The request is not valid JSON.' },
  invalid_fields: { status: 400, message: 'Please check the marked fields.' },
  invalid_key: {
    status: 400,
    message: 'An order needs an Idempotency-Key header of 16 to 64 letters, digits, dashes or underscores.',
  },
  promotion_not_started: { status: 400, message: 'This promo code is not valid yet.' },
  promotion_minimum: { status: 400, message: 'The cart is too small for this promo code.' },
  reset_link_expired: { status: 400, message: RESET_LINK_PROBLEMS.expired },
  reset_link_invalid: { status: 400, message: RESET_LINK_PROBLEMS.invalid },
  verification_link_invalid: {
    status: 400,
    message: 'This link is not valid. Please open the newest mail about your account.',
  },
  alert_link_invalid: { status: 400, message: 'This link is not valid. Please open the newest mail.' },
  weak_password: { status: 400, message: 'Please choose another password.' },
  unauthorized: { status: 401, message: 'Please log in to continue.' },
  wrong_credentials: { status: 401, message: 'The email or the password is not right.' },
  payment_declined: { status: 402, message: 'The payment was declined. Nothing was charged.' },
  foreign_origin: { status: 403, message: 'This request came from another site and was refused.' },
  https_required: { status: 403, message: 'This shop answers over https only.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  promotion_unknown: { status: 404, message: 'This promo code is not known. Please check its spelling.' },
  method_not_allowed: { status: 405, message: 'This address does not support that method.' },
  email_taken: { status: 409, message: 'An account with this email already exists. Log in instead.' },
  prices_changed: {
    status: 409,
    message:
      'Some prices have changed since you opened the checkout. Nothing was charged. Please look at the new total and confirm it.',
  },
  promotion_refused: {
    status: 409,
    message: 'The promo code can no longer be used. Nothing was charged. Please look at the new total.',
  },
  out_of_stock: {
    status: 409,
    message: 'Somebody was faster: the shop has no longer all that is in the cart. Nothing was charged.',
  },
  key_reused: {
    status: 409,
    message: 'This key was already used for an order with other contents. Please look at your orders.',
  },
  prompt_too_soon: {
    status: 409,
    message:
      'A prompt was sent to this phone a moment ago. Please answer it, or wait two minutes for another.',
  },
  order_closed: { status: 409, message: 'This order can no longer be paid. Please place it again.' },
  account_has_orders: {
    status: 409,
    message: 'An order is not finished yet. Your account can be deleted after that.',
  },
  order_not_cancellable: { status: 409, message: 'This order is packed already. Please write to us.' },
  status_changed: {
    status: 409,
    message: 'This order has changed meanwhile. Please look at what it is now.',
  },
  status_not_allowed: { status: 409, message: 'The order cannot take this step from where it is.' },
  code_taken: { status: 409, message: 'There is such a code already.' },
  mail_gone: { status: 410, message: 'The text of this mail was deleted with the link that it held.' },
  refund_not_possible: { status: 409, message: 'This payment cannot be given back.' },
  no_money_awaited: { status: 409, message: 'This order awaits no money.' },
  receipt_taken: { status: 409, message: 'This receipt is recorded already, with another payment.' },
  promotion_expired: { status: 410, message: 'This promo code has expired.' },
  promotion_exhausted: { status: 410, message: 'This promo code has been used up.' },
  too_large: { status: 413, message: 'The request is too large.' },
  unsupported_media_type: { status: 415, message: 'Send JSON, with Content-Type: application/json.' },
  unknown_product: { status: 422, message: 'A product in the cart is no longer sold.' },
  too_many_requests: { status: 429, message: 'Too many attempts. Please wait a minute and try again.' },
  sign_in_paused: { status: 429, message: 'Too many wrong passwords. Please wait and try again.' },
  internal: { status: 500, message: 'Something went wrong on our side.' },
  unavailable: {
    status: 503,
    message: 'The shop is temporarily unavailable. Please try again in a moment.',
  },
  busy: {
    status: 503,
    message: 'Many people are signing in just now. Please try again in a few seconds.',
  },
  payment_unavailable: {
    status: 503,
    message: 'Payments cannot be taken just now. Nothing was charged. Please try again in a minute.',
  },
  closed: { status: 503, message: 'The shop is closed for a moment. Please come back soon.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errors

/** The body of every API error. `errors` names the fields at fault, where there are any. */
export type ErrorBody = {
  message: string
  code: string
  errors?: Record<string, string>
}
