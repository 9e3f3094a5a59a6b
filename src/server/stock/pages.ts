import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { escapeHtml } from '#server/platform/escape-html.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { parseForm } from '#server/platform/http/body.ts'
import { renderPlainPage, respondWithError } from '#server/platform/http/errors.ts'
import { getIpAddress } from '#server/platform/http/request.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { href, STOCK_ALERTS_PATH, STOCK_ALERTS_UNSUBSCRIBE_PATH } from '#shared/routes.ts'
import { formatStockAlertConfirmation, requestStockAlertCall } from '#shared/stock/contract.ts'
import { deleteStockAlerts, requestStockAlert } from './alerts.ts'

const REQUEST_TITLE = 'Email me when it’s back'
const UNSUBSCRIBE_TITLE = 'Stop back-in-stock emails'

/**
 * Opening the unsubscribe page changes nothing, because email clients open links on their own. Unsubscribing takes a
 * POST (RFC 8058).
 */
export function stockAlertRoutes(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .post(STOCK_ALERTS_PATH, async (c) => {
      const form = await parseForm(c)
      if (!form.ok) return respondWithError(c, form.error)
      const [item, email] = [form.data('item'), form.data('email')]
      const input = requestStockAlertCall.request.safeParse({ item: Number(item), email })
      if (!input.success) {
        const message = input.error.issues[0]?.message ?? errorDefinitions.invalid_fields.message
        return c.html(
          renderPlainPage(REQUEST_TITLE, renderFormWithError(item, email, message)),
          errorDefinitions.invalid_fields.status,
        )
      }
      const client = { ipAddress: getIpAddress(c) }
      const result = await requestStockAlert(
        { itemId: input.data.item, email: input.data.email, ...client },
        ctx,
      )
      if (!result.ok) {
        const { code, message = errorDefinitions[code].message, retryAfterSeconds } = result.error
        if (retryAfterSeconds) c.header('Retry-After', String(retryAfterSeconds))
        return c.html(
          renderPlainPage(REQUEST_TITLE, renderFormWithError(item, email, message)),
          errorDefinitions[code].status,
        )
      }
      const text = formatStockAlertConfirmation(input.data.email, result.data.name)
      return c.html(
        renderPlainPage(REQUEST_TITLE, `<p>${escapeHtml(text)}</p>${renderProductLink(input.data.item)}`),
      )
    })
    .get(STOCK_ALERTS_UNSUBSCRIBE_PATH, (c) => {
      const action = `${STOCK_ALERTS_UNSUBSCRIBE_PATH}?${new URLSearchParams({ code: c.req.query('code') ?? '' })}`
      const content = `<p>Stop emails about products that are back in stock?</p>
<form method="post" action="${escapeHtml(action)}"><button type="submit" class="button">Stop these emails</button></form>`
      return c.html(renderPlainPage(UNSUBSCRIBE_TITLE, content))
    })
    .post(STOCK_ALERTS_UNSUBSCRIBE_PATH, async (c) => {
      const result = await deleteStockAlerts({ code: c.req.query('code') ?? '' }, ctx)
      const message = result.ok
        ? 'You won’t get any more back-in-stock emails.'
        : errorDefinitions[result.error.code].message
      const content = `<p>${message}</p><p><a class="button" href="${href('shop')}">Go shopping</a></p>`
      return c.html(
        renderPlainPage(UNSUBSCRIBE_TITLE, content),
        result.ok ? 200 : errorDefinitions[result.error.code].status,
      )
    })
}

function renderFormWithError(item: string, email: string, message: string): string {
  return `<form method="post" action="${STOCK_ALERTS_PATH}" class="stack" novalidate>
<input type="hidden" name="item" value="${escapeHtml(item)}">
<div class="field"><label for="email">Your email address</label>
<input id="email" name="email" type="email" autocomplete="email" value="${escapeHtml(email)}" aria-describedby="problem">
<p class="field__note" id="problem"><span class="field__error">${escapeHtml(message)}</span></p></div>
<button type="submit" class="button">${REQUEST_TITLE}</button></form>`
}

function renderProductLink(id: number): string {
  return `<p><a class="button" href="${href('product', { id })}">Back to the product</a></p>`
}
