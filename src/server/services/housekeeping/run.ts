import type { Deps } from '../../deps.ts'
import { deliverAllDue } from '../../mail/outbox.ts'
import { pointToLatest } from '../catalogue/publish.ts'
import { runPayments } from '../payments/run.ts'
import type { StartDeps } from '../payments/start-attempt.ts'
import { queueAlerts } from '../stock/alerts.ts'
import { forgetStatements } from './forget.ts'

/**
 * The scheduled run: advances open payments and refunds, delivers the mail that is due, sees that shoppers get the latest
 * catalogue, then deletes what is stored no longer. Rejects when the database fails.
 */
export async function runHousekeeping(
  deps: StartDeps & Pick<Deps, 'catalogue' | 'catalogueStore'>,
): Promise<void> {
  await runPayments(deps)
  await queueAlerts(deps)
  await deliverAllDue(deps)
  await pointToLatest(deps)
  await deps.db.batch(forgetStatements(deps))
}
