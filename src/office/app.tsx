import { Hono } from 'hono'
import { isOutage } from '#server/db/client.ts'
import { requestLog } from '#server/middleware/request-log.ts'
import { requireIdentity } from './access.ts'
import { badges } from './badges.ts'
import type { OfficeDeps, OfficeEnv } from './deps.ts'
import { errorPage } from './layout.tsx'
import { auditPage } from './pages/audit.tsx'
import { boardPage } from './pages/board.tsx'
import { cataloguePage } from './pages/catalogue.tsx'
import { cataloguePreview } from './pages/catalogue-preview.ts'
import { catalogueProductPage } from './pages/catalogue-product.tsx'
import { cataloguePublishPage } from './pages/catalogue-publish.tsx'
import { figuresPage } from './pages/figures.tsx'
import { mailsPage } from './pages/mails.tsx'
import { messagesPage } from './pages/messages.tsx'
import { morePage } from './pages/more.tsx'
import { orderPage } from './pages/order.tsx'
import { packingSlipsPage } from './pages/packing-slips.tsx'
import { paymentsPage } from './pages/payments.tsx'
import { promotionsPage } from './pages/promotions.tsx'
import { stockPage } from './pages/stock.tsx'
import { officeHeaders, ownForms, requireHttps } from './security.ts'
import { staticFiles } from './static-files.ts'

/** The office, read top to bottom: middleware, then one file a page with the forms on it. */
export function createOffice(deps: OfficeDeps) {
  const office = new Hono<OfficeEnv>()

  office.use(requestLog(deps))
  office.use(officeHeaders(deps))
  office.use(requireHttps(deps))
  office.use(requireIdentity(deps))
  office.use(ownForms)
  office.use(badges(deps))

  office.route('/', boardPage(deps))
  office.route('/', orderPage(deps))
  office.route('/', packingSlipsPage(deps))
  office.route('/', stockPage(deps))
  office.route('/', cataloguePage(deps))
  office.route('/', catalogueProductPage(deps))
  office.route('/', cataloguePublishPage(deps))
  office.route('/', cataloguePreview(deps))
  office.route('/', messagesPage(deps))
  office.route('/', figuresPage(deps))
  office.route('/', paymentsPage(deps))
  office.route('/', promotionsPage(deps))
  office.route('/', mailsPage(deps))
  office.route('/', auditPage(deps))
  office.route('/', morePage())
  office.route('/', staticFiles(deps))

  office.notFound((c) => errorPage(c, 404, 'There is nothing at this address.'))
  office.onError((error, c) => {
    c.var.fail(error)
    if (isOutage(error))
      return errorPage(c, 503, 'The database does not answer. Please try again in a moment.')
    return errorPage(c, 500, `Something went wrong. The log has it under this number: ${c.var.requestId}`)
  })
  return office
}
