import { dashboardView, failedDashboardView } from '#shared/rules/catalogue-views.ts'
import type { PageModule } from '../../router/page.ts'
import { viewOfCatalogue } from '../../state/catalogue.ts'

function DashboardPage() {
  return <h1>Dashboard</h1>
}

export const page: PageModule<'dashboard'> = {
  Page: DashboardPage,
  load: () => viewOfCatalogue(dashboardView, failedDashboardView),
}
