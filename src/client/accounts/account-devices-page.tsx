import { type SubmitEvent, useEffect, useState } from 'react'
import { callApi } from '#client/app/api.ts'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { type Device, listDevicesCall, logOutDevicesCall, OTHER_DEVICES } from '#shared/accounts/contract.ts'
import type { AccountDevicesView } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { formatDate, formatDateTime } from '#shared/time.ts'
import { AccountSectionPage } from './account-section.tsx'

const LOAD_FAILED_MESSAGE = 'We couldn’t load your devices. Please try again.'
const LOGOUT_FAILED_MESSAGE = 'We couldn’t log out that device. Please try again.'

function AccountDevicesPage({ data }: PageProps<'accountDevices'>) {
  return (
    <AccountSectionPage
      name="accountDevices"
      intro="You’re logged in on these devices. Log out any you don’t recognise, then change your password."
    >
      <WithData source={data} fallback={<p role="status">Loading...</p>}>
        {(view) => <DeviceList {...view} />}
      </WithData>
    </AccountSectionPage>
  )
}

function DeviceList({ devices: sent, posted }: AccountDevicesView) {
  const [devices, setDevices] = useState(sent)
  const [error, setError] = useState(() =>
    posted?.outcome.kind === 'failed' ? posted.outcome.message : undefined,
  )
  const [isBusy, setIsBusy] = useState(false)

  // The server sends null if it couldn't load the list or if a posted form failed.
  const isMissing = devices === null
  useEffect(() => {
    if (!isMissing) return
    void callApi(listDevicesCall).then((result) => {
      if (result.ok) setDevices(result.data.devices)
      else setError(LOAD_FAILED_MESSAGE)
    })
  }, [isMissing])

  const logOutDevice = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const { submitter } = event.nativeEvent
    setIsBusy(true)
    const which = submitter instanceof HTMLButtonElement ? submitter.value : ''
    const result = await callApi(logOutDevicesCall, { which })
    setIsBusy(false)
    setError(result.ok ? undefined : (result.message ?? LOGOUT_FAILED_MESSAGE))
    if (result.ok) setDevices(result.data.devices)
  }

  const others = devices?.filter(({ isCurrent }) => !isCurrent) ?? []
  return (
    <form
      method="post"
      action={href('accountDevices')}
      onSubmit={logOutDevice}
      className="stack"
      data-offline="no device was logged out"
      aria-busy={isBusy}
    >
      {error && (
        <p className="banner banner--error" role="alert">
          {error}
        </p>
      )}
      {devices && (
        <div className="panel">
          <ul className="devices">
            {devices.map((device) => (
              <DeviceItem key={device.id} device={device} />
            ))}
          </ul>
        </div>
      )}
      {others.length > 1 && (
        <button type="submit" name="which" value={OTHER_DEVICES} className="button button--quiet">
          Log out all other devices
        </button>
      )}
      <p role="status">{devices && others.length === 0 && 'You’re not logged in on any other device.'}</p>
    </form>
  )
}

function DeviceItem({ device }: { device: Device }) {
  const { id, browser, country, signedInAtMs, lastSeenAtMs, isCurrent } = device
  const name = [browser ?? 'Unknown browser', country].filter(Boolean).join(', ')
  return (
    <li className="device spread">
      <div>
        <h2 className="item-title">{name}</h2>
        <p className="note">
          {'Logged in on '}
          <DeviceTime ms={signedInAtMs} format={formatDateTime} />
          {', last used on '}
          <DeviceTime ms={lastSeenAtMs} format={formatDate} />
        </p>
      </div>
      {isCurrent ? (
        <p className="device__current">This device</p>
      ) : (
        <button
          type="submit"
          name="which"
          value={id}
          className="button button--quiet"
          aria-label={`Log out ${name}`}
        >
          Log out
        </button>
      )}
    </li>
  )
}

/** The server and the browser may format the date differently, hence `suppressHydrationWarning`. */
function DeviceTime({ ms, format }: { ms: number; format: (atMs: number) => string }) {
  return (
    <time dateTime={new Date(ms).toISOString()} suppressHydrationWarning>
      {format(ms)}
    </time>
  )
}

export { AccountDevicesPage as Page }

export async function load(): Promise<AccountDevicesView> {
  const result = await callApi(listDevicesCall)
  return { devices: result.ok ? result.data.devices : null, posted: null }
}
