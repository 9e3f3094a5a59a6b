import path from 'node:path'
import { manyOrders } from '#test/support/many-orders.ts'
import items from '../../../public/Items.json' with { type: 'json' }
import { migrate, openLocalDatabase } from '../local-database.ts'
import { serve } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const BOARD = ['/', '/?stage=pay', '/?stage=send', '/?stage=on-the-way', '/?stage=done', '/?q=amina']
const VISITS = 15
const NEW_PRICE = 7777
const POLL_MS = 250
const DEADLINE_MS = 70_000

/** S15 and S16: the office's board with 5,000 orders, and how soon shoppers see a published catalogue. */
export async function officeRows(workFolder: string, { step, atMost }: Report): Promise<void> {
  step('Opening the office with 5,000 orders')
  const stateFolder = path.join(workFolder, 'office-state')
  const { db, close } = await openLocalDatabase(stateFolder)
  await migrate(db)
  for (const statement of manyOrders(Date.now())) await db.prepare(statement).run()
  await close()
  const ports = { port: await freePort(), officePort: await freePort() }
  const shop = await serve({ ...ports, stateFolder, onLog: () => {} })
  try {
    const times: number[] = []
    for (const page of BOARD) times.push(await firstByteMs(`${shop.officeUrl}${page}`))
    atMost('S15', 'board with 5,000 orders, slowest first byte', Math.max(...times), 100, 'ms')
    step('Publishing a catalogue')
    const seconds = await publishSeconds(shop.url, shop.officeUrl ?? '')
    atMost('S16', 'from publishing until shoppers see it', seconds, 60, 's')
  } finally {
    await shop.close()
  }
}

/** The median time to first byte, without the first visit. */
async function firstByteMs(address: string): Promise<number> {
  const times: number[] = []
  for (let visit = 0; visit <= VISITS; visit++) {
    const startMs = performance.now()
    const response = await fetch(address)
    if (visit > 0) times.push(performance.now() - startMs)
    await response.bytes()
    if (response.status !== 200) throw new Error(`The office returned ${response.status}: ${address}`)
  }
  return median(times)
}

/** Publishes a new price in the office; returns the seconds until the Shop and product pages show it. */
async function publishSeconds(url: string, officeUrl: string): Promise<number> {
  const getText = (address: string) => fetch(address).then((response) => response.text())
  const post = async (address: string, body: FormData | URLSearchParams) => {
    const request = { method: 'POST', body, headers: { Origin: officeUrl }, redirect: 'manual' } as const
    const { status } = await fetch(officeUrl + address, request)
    if (status !== 303) throw new Error(`The office returned ${status}: ${address}`)
  }
  const [first] = items
  const pages = [`${url}/products`, `${url}/product/${first?.id}`]
  for (const page of pages) await getText(page)
  const catalogue = [{ ...first, price: NEW_PRICE, sizes: undefined, scale: undefined }, ...items.slice(1)]
  const form = new FormData()
  form.set('file', new File([JSON.stringify(catalogue)], 'Items.json', { type: 'application/json' }))
  await post('/catalogue/import', form)
  const page = await getText(`${officeUrl}/catalogue/publish`)
  const fieldValue = (name: string) => new RegExp(`name="${name}" value="(\\d+)"`).exec(page)?.[1] ?? ''
  const draft = { base: fieldValue('base'), revision: fieldValue('revision') }
  const startMs = performance.now()
  await post('/catalogue/publish', new URLSearchParams(draft))
  while (performance.now() - startMs < DEADLINE_MS) {
    const html = await Promise.all(pages.map(getText))
    if (html.every((page) => page.includes(`KSH ${NEW_PRICE}`))) return (performance.now() - startMs) / 1000
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return Number.POSITIVE_INFINITY
}
