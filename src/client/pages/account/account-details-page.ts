import { session } from '#shared/contract/auth.ts'
import type { AccountDetailsView } from '#shared/page-data.ts'
import { callApi } from '../../api.ts'
import { AccountDetailsPage } from './account-details.tsx'

export { AccountDetailsPage as Page }

/** What the account remembers now; another device may have changed it. */
export async function load(): Promise<AccountDetailsView> {
  const result = await callApi(session)
  return { user: result.ok ? result.data.user : null, posted: null }
}
