import { failedDashboardView } from '#shared/rules/catalogue.ts'
import { dashboardView } from '#shared/rules/catalogue-views.ts'
import { catalogueView, type PageLoader } from './page.ts'

/** The dashboard's featured products (§ 2, § 7). */
export const dashboardPage: PageLoader<'dashboard'> = (request) => ({
  status: 200,
  data: catalogueView(request, dashboardView, failedDashboardView),
})
