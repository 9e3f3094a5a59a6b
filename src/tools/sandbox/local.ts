import { createAlertKeys } from '../shop/alerts.ts'
import { type DarajaDelays, openDaraja } from './daraja.ts'
import { openPaystack } from './paystack.ts'
import { openPushSandbox } from './push.ts'

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1']

export type LocalProviders = Awaited<ReturnType<typeof openLocalProviders>>

type Options = {
  /** The shop's port. The sandboxes listen on the ports 2 to 4 above it or, if those are taken, on any free one. */
  shopPort: number
  delays?: Partial<DarajaDelays>
  log?: (line: string) => void
}

export async function openLocalProviders({ shopPort, delays = {}, log = console.log }: Options) {
  const webhookUrl = `http://localhost:${shopPort}/api/payments/paystack`
  const [daraja, paystack, push] = await Promise.all([
    openOnPort(shopPort + 2, (port) => openDaraja({ port, delays, log })),
    openOnPort(shopPort + 3, (port) => openPaystack({ port, webhookUrl, log })),
    openOnPort(shopPort + 4, (port) => openPushSandbox({ port, log })),
  ])
  return {
    vars: { MPESA_BASE: daraja.url, PAYSTACK_BASE: paystack.url, VAPID_KEYS: createAlertKeys() },
    pushUrl: push.url,
    payLate: daraja.payLate,
    close: async () => void (await Promise.all([daraja.close(), paystack.close(), push.close()])),
  }
}

/** Returns the sandboxes' settings, except those that `settings` sets to anything but a local URL. */
export function getSandboxVars(
  settings: { [Name in keyof LocalProviders['vars']]?: string | undefined },
  vars: LocalProviders['vars'],
): Record<string, string> {
  const isReplaced = (value = '') => value === '' || LOOPBACK_HOSTS.includes(URL.parse(value)?.hostname ?? '')
  return Object.fromEntries(
    Object.entries(vars).filter(([name]) => isReplaced(settings[name as keyof typeof vars])),
  )
}

function openOnPort<Sandbox>(port: number, open: (port: number) => Promise<Sandbox>): Promise<Sandbox> {
  return open(port).catch(() => open(0))
}
