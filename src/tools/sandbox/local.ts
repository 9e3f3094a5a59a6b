import { type DarajaDelays, openDaraja } from './daraja.ts'
import { openPaystack } from './paystack.ts'
import type { StandInFailure } from './stand-in.ts'

export type LocalProviders = {
  /** The settings that lead the shop to them. */
  vars: { MPESA_BASE: string; PAYSTACK_BASE: string }
  /** Both fail in a way, or work again. */
  fail: (how?: StandInFailure) => Promise<void>
  /** Whoever pays late does it now. */
  payLate: () => Promise<void>
  close: () => Promise<void>
}

type Options = {
  /** The shop's own port; the stand-ins listen on the second and third after it, or on any where those are taken. */
  shopPort: number
  delays?: Partial<DarajaDelays>
  log?: (line: string) => void
}

/** Opens stand-ins for Daraja and Paystack beside a local shop. */
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

/** The addresses of the stand-ins, for the providers that `.dev.vars` does not look for elsewhere. */
export function standInsOf(settings: LocalProviders['vars'], vars: LocalProviders['vars']) {
  return Object.fromEntries(
    Object.entries(vars).filter(([name]) => isLoopback(settings[name as keyof typeof vars])),
  )
}

function isLoopback(address: string): boolean {
  return ['localhost', '127.0.0.1'].includes(new URL(address).hostname)
}

async function onPort<StandIn>(port: number, open: (port: number) => Promise<StandIn>): Promise<StandIn> {
  try {
    return await open(port)
  } catch {
    return open(0)
  }
}
