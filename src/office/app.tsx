import { Hono } from 'hono'
import { auditPage } from '#office/audit/audit-page.tsx'
import { exportsPage } from '#office/books/exports-page.tsx'
import { incomingPage } from '#office/books/incoming-page.tsx'
import { invoiceDetailsPage } from '#office/books/invoice-details-page.tsx'
import { reconciliationPage } from '#office/books/reconciliation-page.tsx'
import { cataloguePage } from '#office/catalogue/catalogue-page.tsx'
import { categoriesPage } from '#office/catalogue/categories-page.tsx'
import { cataloguePreview } from '#office/catalogue/preview.ts'
import { catalogueProductPage } from '#office/catalogue/product-page.tsx'
import { cataloguePublishPage } from '#office/catalogue/publish-page.tsx'
import { sharePage } from '#office/catalogue/share-page.tsx'
import { contentListPage } from '#office/content/content-list-page.tsx'
import { contentPage } from '#office/content/content-page.tsx'
import { customerActions } from '#office/customers/customer-actions.tsx'
import { customerPage } from '#office/customers/customer-page.tsx'
import { customersPage } from '#office/customers/customers-page.tsx'
import { emailsPage } from '#office/emails/emails-page.tsx'
import { messagesPage } from '#office/messages/messages-page.tsx'
import { morePage } from '#office/more/more-page.tsx'
import { boardPage } from '#office/orders/board-page.tsx'
import { editOrderPage } from '#office/orders/edit-page.tsx'
import { newOrderPage } from '#office/orders/new-order-page.tsx'
import { openReturnsPage } from '#office/orders/open-returns-page.tsx'
import { orderActions } from '#office/orders/order-actions.ts'
import { orderConfirmations } from '#office/orders/order-confirmations.tsx'
import { orderPage } from '#office/orders/order-page.tsx'
import { orderReturnsPage } from '#office/orders/order-returns-page.tsx'
import { packingSlipsPage } from '#office/orders/packing-slips-page.tsx'
import { paymentLinkPage } from '#office/orders/payment-link-page.tsx'
import { paymentsPage } from '#office/payments/payments-page.tsx'
import { requireIdentity } from '#office/platform/access.ts'
import { answerScriptedForms } from '#office/platform/form.ts'
import { renderErrorPage } from '#office/platform/layout.tsx'
import { NOT_PERMITTED, requireRole } from '#office/platform/require-role.ts'
import { requireHttps, requireSameOrigin, setOfficeHeaders } from '#office/platform/security.ts'
import { staticFiles } from '#office/platform/static-files.ts'
import { promotionsPage } from '#office/promotions/promotions-page.tsx'
import { figuresPage } from '#office/reports/figures-page.tsx'
import { salesPage } from '#office/reports/sales-page.tsx'
import { reservationsPage } from '#office/stock/reservations-page.tsx'
import { stockPage } from '#office/stock/stock-page.tsx'
import { alertsPage } from '#office/team/alerts-page.tsx'
import { teamPage } from '#office/team/team-page.tsx'
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
  office.use(answerScriptedForms)
  office.use(requireHttps(ctx))
  office.use(requireIdentity(ctx))
  office.use(requireSameOrigin)
  office.use(requireRole(ctx))

  office.route('/', boardPage(ctx))
  office.route('/', orderPage(ctx))
  office.route('/', orderConfirmations())
  office.route('/', orderActions(ctx))
  office.route('/', paymentLinkPage(ctx))
  office.route('/', editOrderPage(ctx))
  office.route('/', orderReturnsPage(ctx))
  office.route('/', openReturnsPage())
  office.route('/', newOrderPage(ctx))
  office.route('/', packingSlipsPage(ctx))
  office.route('/', stockPage(ctx))
  office.route('/', reservationsPage(ctx))
  office.route('/', cataloguePage(ctx))
  office.route('/', categoriesPage())
  office.route('/', catalogueProductPage(ctx))
  office.route('/', cataloguePublishPage(ctx))
  office.route('/', cataloguePreview(ctx))
  office.route('/', sharePage(ctx))
  office.route('/', contentListPage())
  office.route('/', contentPage(ctx))
  office.route('/', messagesPage(ctx))
  office.route('/', customersPage())
  office.route('/', customerPage())
  office.route('/', customerActions(ctx))
  office.route('/', figuresPage(ctx))
  office.route('/', salesPage(ctx))
  office.route('/', paymentsPage(ctx))
  office.route('/', exportsPage())
  office.route('/', incomingPage(ctx))
  office.route('/', reconciliationPage(ctx))
  office.route('/', invoiceDetailsPage(ctx))
  office.route('/', promotionsPage(ctx))
  office.route('/', emailsPage(ctx))
  office.route('/', auditPage(ctx))
  office.route('/', teamPage(ctx))
  office.route('/', alertsPage(ctx))
  office.route('/', morePage())
  office.route('/', staticFiles(ctx))

  office.notFound((c) => renderErrorPage(c, 404, 'There’s nothing at this address.'))
  office.onError(async (error, c) => {
    if (error instanceof NotPermittedError) {
      const subject = `${c.req.method} ${c.req.path} (${error.message})`
      await recordAccessRefusal({ email: c.var.identity.email, subject }, ctx)
      return renderErrorPage(c, 403, NOT_PERMITTED)
    }
    c.var.fail(error)
    if (isOutage(error))
      return renderErrorPage(c, 503, 'Something went wrong on our side. Please try again in a minute.')
    ctx.background(recordServerError(ctx).catch(console.error))
    return renderErrorPage(
      c,
      500,
      `Something went wrong on our side. Please try again. If it keeps happening, send your developer this reference: ${c.var.requestId}`,
    )
  })
  return office
}
