import { type DarajaDelays, openDaraja } from './daraja.ts'
import { openPaystack } from './paystack.ts'
import type { SandboxFailure } from './sandbox-server.ts'

export type LocalProviders = {
  vars: { MPESA_BASE: string; PAYSTACK_BASE: string }
  /** Makes both fail; without `how`, both work again. */
  fail: (how?: SandboxFailure) => Promise<void>
  payLate: () => Promise<void>
  close: () => Promise<void>
}

type Options = {
  /** The sandboxes listen on this port + 2 and + 3 or, if taken, on any free port. */
  shopPort: number
  delays?: Partial<DarajaDelays>
  log?: (line: string) => void
}

export async function openLocalProviders({
  shopPort,
  delays = {},
  log = console.log,
}: Options): Promise<LocalProviders> {
  const webhookUrl = `http://localhost:${shopPort}/api/payments/paystack`
  const [daraja, paystack] = await Promise.all([
    onPort(shopPort + 2, (port) => openDaraja({ port, delays, log })),
    onPort(shopPort + 3, (port) => openPaystack({ port, webhookUrl, log })),
  ])
  return {
    vars: { MPESA_BASE: daraja.url, PAYSTACK_BASE: paystack.url },
    fail: async (how) => void (await Promise.all([daraja.fail(how), paystack.fail(how)])),
    payLate: daraja.payLate,
    close: async () => void (await Promise.all([daraja.close(), paystack.close()])),
  }
}

/** The sandbox settings, except for providers that `.dev.vars` points elsewhere. */
export function sandboxVars(settings: LocalProviders['vars'], vars: LocalProviders['vars']) {
  return Object.fromEntries(
    Object.entries(vars).filter(([name]) => isLoopback(settings[name as keyof typeof vars])),
  )
}

function isLoopback(address: string): boolean {
  return ['localhost', '127.0.0.1'].includes(new URL(address).hostname)
}

async function onPort<Sandbox>(port: number, open: (port: number) => Promise<Sandbox>): Promise<Sandbox> {
  try {
    return await open(port)
  } catch {
    return open(0)
  }
}
