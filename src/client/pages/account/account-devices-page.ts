import { listDevices } from '#shared/contract/account.ts'
import type { AccountDevicesView } from '#shared/page-data.ts'
import { callApi } from '../../api.ts'
import { AccountDevicesPage } from './account-devices.tsx'

export { AccountDevicesPage as Page }

/** Where the account is signed in now. */
export async function load(): Promise<AccountDevicesView> {
  const result = await callApi(listDevices)
  return { devices: result.ok ? result.data.devices : null, posted: null }
}
