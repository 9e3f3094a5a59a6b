import assets from 'virtual:client-assets'
import type { Context } from 'hono'
import { escapeHtml } from '#server/platform/escape-html.ts'
import type { ServiceError } from '#server/platform/result.ts'
import { RESET_CODES } from '#shared/accounts/password-reset.ts'
import { type ErrorBody, type ErrorCode, errorDefinitions } from '#shared/errors.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

/**
 * Responds with JSON under `/api/`, JSON in the format of the identity service under `/v1/`, and an HTML page
 * elsewhere.
 */
export function respondWithError(c: Context, error: ErrorCode | ServiceError): Response {
  const { code, retryAfterSeconds, ...more } = typeof error === 'string' ? { code: error } : error
  const { status } = errorDefinitions[code]
  const message = more.message ?? errorDefinitions[code].message
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))

  if (c.req.path.startsWith('/v1/')) {
    const identityCode = IDENTITY_ERROR_CODES[code]
    return c.json({ error: { code: status, message: identityCode?.(message) ?? message } }, status)
  }
  if (!isApiPath(c.req.path))
    return c.html(renderErrorPage(PAGE_TITLES[code] ?? 'That didn’t work', message), status)
  const { fieldErrors, details } = more
  const body: ErrorBody = {
    message,
    code,
    ...(fieldErrors ? { errors: { ...fieldErrors } } : {}),
    ...details,
  }
  return c.json(body, status)
}

export function isApiPath(path: string): boolean {
  return path.startsWith('/api/') || path.startsWith('/v1/')
}

const IDENTITY_ERROR_CODES: Partial<Record<ErrorCode, (message: string) => string>> = {
  reset_link_expired: () => RESET_CODES.expired,
  reset_link_invalid: () => RESET_CODES.invalid,
  weak_password: (message) => `${RESET_CODES.weak} : ${message}`,
}

const PAGE_TITLES: Partial<Record<ErrorCode, string>> = {
  foreign_origin: 'Request blocked',
  internal: 'Something went wrong',
  unavailable: 'Temporarily unavailable',
  closed: 'Temporarily closed',
}

function renderErrorPage(title: string, message: string): string {
  return renderPlainPage(
    title,
    `<p>${escapeHtml(message)}</p>
<p><a class="button" href="${href('home')}">Return Home</a></p>`,
  )
}

/** Renders without React, the catalogue and the database. `content` is HTML. */
export function renderPlainPage(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escapeHtml(title)} · ${shop.name}</title><link rel="stylesheet" href="${assets.stylesheet}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml"></head>
<body><hr class="band"><main class="notice notice--lost"><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`
}
