import { Hono } from 'hono'
import { auditRoutes } from '#office/audit/audit-page.tsx'
import { exportRoutes } from '#office/books/exports-page.tsx'
import { incomingPaymentRoutes } from '#office/books/incoming-payments-page.tsx'
import { invoiceDetailsRoutes } from '#office/books/invoice-details-page.tsx'
import { reconciliationRoutes } from '#office/books/reconciliation-page.tsx'
import { catalogueRoutes } from '#office/catalogue/catalogue-page.tsx'
import { categoryRoutes } from '#office/catalogue/categories-page.tsx'
import { previewRoutes } from '#office/catalogue/preview.ts'
import { productRoutes } from '#office/catalogue/product-page.tsx'
import { publishRoutes } from '#office/catalogue/publish-page.tsx'
import { shareRoutes } from '#office/catalogue/share-page.tsx'
import { contentListRoutes } from '#office/content/content-list-page.tsx'
import { contentRoutes } from '#office/content/content-page.tsx'
import { customerActionRoutes } from '#office/customers/customer-actions.tsx'
import { customerRoutes } from '#office/customers/customer-page.tsx'
import { customerListRoutes } from '#office/customers/customers-page.tsx'
import { emailRoutes } from '#office/emails/emails-page.tsx'
import { messageRoutes } from '#office/messages/messages-page.tsx'
import { moreRoutes } from '#office/more/more-page.tsx'
import { boardRoutes } from '#office/orders/board-page.tsx'
import { confirmationRoutes } from '#office/orders/confirmation-pages.tsx'
import { editOrderRoutes } from '#office/orders/edit-page.tsx'
import { newOrderRoutes } from '#office/orders/new-order-page.tsx'
import { openReturnsRoutes } from '#office/orders/open-returns-page.tsx'
import { orderActionRoutes } from '#office/orders/order-actions.ts'
import { orderRoutes } from '#office/orders/order-page.tsx'
import { orderReturnsRoutes } from '#office/orders/order-returns-page.tsx'
import { packingSlipRoutes } from '#office/orders/packing-slips-page.tsx'
import { paymentLinkRoutes } from '#office/orders/payment-link-page.tsx'
import { paymentRoutes } from '#office/payments/payments-page.tsx'
import { requireIdentity } from '#office/platform/access.ts'
import { respondToScriptedForms } from '#office/platform/form.ts'
import { renderErrorPage } from '#office/platform/layout.tsx'
import { NOT_PERMITTED_MESSAGE, requireRole } from '#office/platform/require-role.ts'
import { requireHttps, requireSameOrigin, setOfficeHeaders } from '#office/platform/security.ts'
import { staticFileRoutes } from '#office/platform/static-files.ts'
import { promotionRoutes } from '#office/promotions/promotions-page.tsx'
import { figuresRoutes } from '#office/reports/figures-page.tsx'
import { salesRoutes } from '#office/reports/sales-page.tsx'
import { reservationRoutes } from '#office/stock/reservations-page.tsx'
import { stockRoutes } from '#office/stock/stock-page.tsx'
import { alertRoutes } from '#office/team/alerts-page.tsx'
import { teamRoutes } from '#office/team/team-page.tsx'
import { NotPermittedError, recordAccessRefusal } from '#server/platform/db/audit.ts'
import { isOutage } from '#server/platform/db/client.ts'
import { requestLog } from '#server/platform/middleware/request-log.ts'
import { recordServerError } from '#server/team/detect-problems.ts'
import type { OfficeContext, OfficeEnv } from './context.ts'

export function createOffice(ctx: OfficeContext) {
  const office = new Hono<OfficeEnv>()

  office.use(requestLog(ctx))
  office.use(async (c, next) => {
    c.set('nowMs', ctx.clock())
    await next()
  })
  office.use(setOfficeHeaders(ctx))
  office.use(respondToScriptedForms)
  office.use(requireHttps(ctx))
  office.use(requireIdentity(ctx))
  office.use(requireSameOrigin)
  office.use(requireRole(ctx))

  office.route('/', boardRoutes(ctx))
  office.route('/', orderRoutes(ctx))
  office.route('/', confirmationRoutes())
  office.route('/', orderActionRoutes(ctx))
  office.route('/', paymentLinkRoutes(ctx))
  office.route('/', editOrderRoutes(ctx))
  office.route('/', orderReturnsRoutes(ctx))
  office.route('/', openReturnsRoutes())
  office.route('/', newOrderRoutes(ctx))
  office.route('/', packingSlipRoutes(ctx))
  office.route('/', stockRoutes(ctx))
  office.route('/', reservationRoutes(ctx))
  office.route('/', catalogueRoutes(ctx))
  office.route('/', categoryRoutes())
  office.route('/', productRoutes(ctx))
  office.route('/', publishRoutes(ctx))
  office.route('/', previewRoutes(ctx))
  office.route('/', shareRoutes(ctx))
  office.route('/', contentListRoutes())
  office.route('/', contentRoutes(ctx))
  office.route('/', messageRoutes(ctx))
  office.route('/', customerListRoutes())
  office.route('/', customerRoutes())
  office.route('/', customerActionRoutes(ctx))
  office.route('/', figuresRoutes(ctx))
  office.route('/', salesRoutes(ctx))
  office.route('/', paymentRoutes(ctx))
  office.route('/', exportRoutes())
  office.route('/', incomingPaymentRoutes(ctx))
  office.route('/', reconciliationRoutes(ctx))
  office.route('/', invoiceDetailsRoutes(ctx))
  office.route('/', promotionRoutes(ctx))
  office.route('/', emailRoutes(ctx))
  office.route('/', auditRoutes(ctx))
  office.route('/', teamRoutes(ctx))
  office.route('/', alertRoutes(ctx))
  office.route('/', moreRoutes())
  office.route('/', staticFileRoutes(ctx))

  office.notFound((c) => renderErrorPage(c, 404, 'We can’t find this page.'))
  office.onError(async (error, c) => {
    if (error instanceof NotPermittedError) {
      const subject = `${c.req.method} ${c.req.path} (${error.message})`
      await recordAccessRefusal({ email: c.var.identity.email, subject }, ctx)
      return renderErrorPage(c, 403, NOT_PERMITTED_MESSAGE)
    }
    c.var.recordFailure(error)
    if (isOutage(error))
      return renderErrorPage(c, 503, 'Something went wrong on our side. Please try again in a minute.')
    ctx.waitUntil(recordServerError(ctx).catch(console.error))
    return renderErrorPage(
      c,
      500,
      `Something went wrong on our side. Please try again. If it keeps happening, send your developer this reference: ${c.var.requestId}`,
    )
  })
  return office
}
