import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { parseClient } from '#server/platform/auth/client.ts'
import { escapeHtml } from '#server/platform/escape-html.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { parseForm } from '#server/platform/http/body.ts'
import { renderPlainPage, respondWithError } from '#server/platform/http/errors.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { href, VERIFY_EMAIL_PATH } from '#shared/routes.ts'
import { verifyEmail } from './verify-email.ts'

const PAGE_TITLE = 'Confirm your email address'

/** Opening the link changes nothing until the form is posted, because email clients open links on their own. */
export function verifyEmailRoutes(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .get(VERIFY_EMAIL_PATH, (c) => {
      const code = c.req.query('code') ?? ''
      return c.html(
        renderPlainPage(
          PAGE_TITLE,
          `<p>Did you create an account with us? Please confirm that this email address is yours.</p>
<form method="post" action="${VERIFY_EMAIL_PATH}"><input type="hidden" name="code" value="${escapeHtml(code)}">
<button type="submit" class="button">Confirm my email address</button></form>`,
        ),
      )
    })
    .post(VERIFY_EMAIL_PATH, async (c) => {
      const form = await parseForm(c)
      if (!form.ok) return respondWithError(c, form.error)
      const result = await verifyEmail({ code: form.data('code'), client: await parseClient(c, ctx) }, ctx)
      const title = result.ok ? 'Email address confirmed' : 'We couldn’t confirm your email address'
      const message = result.ok
        ? 'Thank you. Your email address is confirmed.'
        : errorDefinitions[result.error.code].message
      const content = `<p>${message}</p><p><a class="button" href="${href('shop')}">Go shopping</a></p>`
      return c.html(
        renderPlainPage(title, content),
        result.ok ? 200 : errorDefinitions[result.error.code].status,
      )
    })
}
