import { type DashboardView, failedDashboardView } from '#shared/rules/catalogue.ts'
import { loadCatalogue, viewOfCatalogue } from '../../state/catalogue.ts'
import { DashboardPage } from './dashboard.tsx'

export { DashboardPage as Page, loadCatalogue as prefetch }

/** The featured products (§ 7). */
export function load(): DashboardView | Promise<DashboardView> {
  return viewOfCatalogue(({ catalogue, dashboardView }) => dashboardView(catalogue), failedDashboardView)
}
