import { RESET_LINK_PROBLEMS } from '#shared/accounts/password-reset.ts'

export const errorDefinitions = {
  bad_request: { status: 400, message: 'We couldn’t read that request. Please check it and try again.' },
  malformed_json: { status: 400, message: 'The request isn’t valid JSON.' },
  invalid_fields: { status: 400, message: 'Please check the highlighted fields.' },
  invalid_key: {
    status: 400,
    message: 'An order needs an Idempotency-Key header of 16 to 64 letters, digits, hyphens or underscores.',
  },
  promotion_not_started: { status: 400, message: 'This promo code isn’t active yet.' },
  promotion_minimum: { status: 400, message: 'Your cart is below this code’s minimum.' },
  reset_link_expired: { status: 400, message: RESET_LINK_PROBLEMS.expired },
  reset_link_invalid: { status: 400, message: RESET_LINK_PROBLEMS.invalid },
  verification_link_invalid: {
    status: 400,
    message:
      'This link no longer works. If you’ve reset your password by email since, your address is already confirmed. Otherwise, please use the link in our latest email about your account.',
  },
  alert_link_invalid: {
    status: 400,
    message: 'This link is invalid. Please use the link in our latest email.',
  },
  weak_password: { status: 400, message: 'Please choose another password.' },
  unauthorized: { status: 401, message: 'Please log in to continue.' },
  wrong_credentials: { status: 401, message: 'Email or password is incorrect.' },
  payment_declined: { status: 402, message: 'Your payment was declined. You haven’t been charged.' },
  order_refused: {
    status: 403,
    message: 'We can’t take this order online. You haven’t been charged. Please contact us.',
  },
  foreign_origin: { status: 403, message: 'This request came from another site, so we blocked it.' },
  https_required: { status: 403, message: 'This shop only works over HTTPS.' },
  not_found: { status: 404, message: 'Nothing was found at this URL.' },
  promotion_unknown: { status: 404, message: 'We don’t recognise this code. Please check the spelling.' },
  method_not_allowed: { status: 405, message: 'This URL doesn’t support that method.' },
  email_taken: { status: 409, message: 'An account with this email already exists. Log in instead.' },
  prices_changed: {
    status: 409,
    message:
      'Some prices have changed since you opened the checkout. You haven’t been charged. Please check the new total and confirm.',
  },
  promotion_refused: {
    status: 409,
    message: 'This promo code can no longer be used. You haven’t been charged. Please check the new total.',
  },
  out_of_stock: {
    status: 409,
    message:
      'Some items have just sold out. You haven’t been charged. Please update your cart and try again.',
  },
  key_reused: {
    status: 409,
    message: 'You may already have placed this order. Please check your orders before trying again.',
  },
  prompt_too_soon: {
    status: 409,
    message:
      'We’ve just sent a prompt to this phone. Please respond to it, or wait two minutes before requesting another.',
  },
  order_closed: { status: 409, message: 'You can no longer pay for this order. Please place a new one.' },
  account_has_orders: {
    status: 409,
    message: 'You have an order in progress. You can delete your account once it’s complete.',
  },
  order_not_cancellable: {
    status: 409,
    message: 'This order can no longer be cancelled here. To change or cancel it, please contact us.',
  },
  status_changed: {
    status: 409,
    message: 'This order has changed since you opened it. Please check its current status.',
  },
  status_not_allowed: {
    status: 409,
    message: 'This order can’t move to that status. Please check its current status.',
  },
  payment_incomplete: { status: 409, message: 'This order isn’t fully paid.' },
  code_taken: { status: 409, message: 'This code already exists. Choose another one.' },
  email_text_deleted: {
    status: 410,
    message:
      'This email can’t be resent: it contained a private link, so we deleted its text. For a password reset, ask the customer to request a new link.',
  },
  refund_not_possible: { status: 409, message: 'This payment can’t be refunded.' },
  not_awaiting_payment: { status: 409, message: 'This order isn’t awaiting payment.' },
  receipt_taken: { status: 409, message: 'This receipt is already recorded for another payment.' },
  promotion_expired: { status: 410, message: 'This promo code has expired.' },
  promotion_used: { status: 410, message: 'You’ve already used this promo code.' },
  promotion_exhausted: { status: 410, message: 'This promo code has reached its limit.' },
  too_large: { status: 413, message: 'The request is too large.' },
  unsupported_media_type: { status: 415, message: 'Send JSON, with Content-Type: application/json.' },
  unknown_product: {
    status: 422,
    message: 'A product in your cart is no longer available. Please remove it and try again.',
  },
  too_many_requests: { status: 429, message: 'Too many attempts. Please wait a minute and try again.' },
  login_paused: { status: 429, message: 'Too many incorrect passwords. Please wait and try again.' },
  internal: { status: 500, message: 'Something went wrong on our side. Please try again in a minute.' },
  unavailable: {
    status: 503,
    message: 'The shop is temporarily unavailable. Please try again in a minute.',
  },
  busy: {
    status: 503,
    message: 'Lots of people are logging in right now. Please try again in a few seconds.',
  },
  payment_unavailable: {
    status: 503,
    message: 'We can’t take payments right now. You haven’t been charged. Please try again in a minute.',
  },
  closed: { status: 503, message: 'The shop is temporarily closed. Please come back soon.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errorDefinitions

export type ErrorBody = {
  message: string
  code: string
  errors?: Record<string, string>
}
