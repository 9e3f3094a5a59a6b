/** Every failure the API can answer with: its HTTP status and the sentence for people. */
export const errors = {
  bad_request: { status: 400, message: 'That request could not be read. Please check it and try again.' },
  malformed_json: { status: 400, message: 'The request is not valid JSON.' },
  invalid_fields: { status: 400, message: 'Please check the marked fields.' },
  unauthorized: { status: 401, message: 'Please log in to continue.' },
  wrong_credentials: { status: 401, message: 'The email or the password is not right.' },
  foreign_origin: { status: 403, message: 'This request came from another site and was refused.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not answer that method.' },
  email_taken: { status: 409, message: 'An account with this email already exists. Log in instead.' },
  too_large: { status: 413, message: 'The request is too large.' },
  unsupported_media_type: { status: 415, message: 'Send JSON, with Content-Type: application/json.' },
  too_many_requests: { status: 429, message: 'Too many tries. Please wait a minute and try again.' },
  internal: { status: 500, message: 'Something went wrong on our side.' },
  unavailable: {
    status: 503,
    message: 'The shop cannot reach its records just now. Please try again in a moment.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errors

/** The body of every API error. `errors` names the fields at fault, where there are any. */
export type ErrorBody = {
  message: string
  code: string
  errors?: Record<string, string>
}
