import { describe, expect, it } from 'vitest'
import { orderLines, orders, payments } from '#server/db/schema.ts'
import { spiedDatabase } from '#test/support/database.ts'
import { NOW_MS } from '#test/support/deps.ts'
import { officeDeps, officeVisitor } from '#test/support/office.ts'
import { manyOrders } from '#tools/measure/many-orders.ts'

const MAX_ROWS = 200

describe('the board with 5,000 orders', async () => {
  const deps = officeDeps()
  for (const statement of manyOrders(NOW_MS)) await deps.db.run(statement)
  let rows = 0
  const db = spiedDatabase(async (go) => {
    const answer = (await go()) as { meta?: { rows_read: number } }[]
    for (const { meta } of [answer].flat()) rows += meta?.rows_read ?? Number.NaN
    return answer
  })
  const visitor = await officeVisitor({ ...deps, db })
  const read = async (path: string) => {
    rows = 0
    const { status, text } = await visitor.get(path)
    expect(status).toBe(200)
    return { rows, text }
  }

  it.for<[string, string]>([
    ['/', '>625<'],
    ['/?stage=pay', 'P-000000'],
    ['/?stage=send', 'P-004994'],
    ['/?stage=on-the-way', 'P-004996'],
    ['/?stage=done', 'P-000005'],
    [`/?stage=done&after=${NOW_MS - 60_000_000}.P-001000`, ''],
    ['/?q=P-0012', 'P-001200'],
    ['/?q=p-001234', 'P-001234'],
    ['/?q=001234', 'P-001234'],
    ['/?q=amina', 'Amina Wanjiru'],
    ['/?q=faith+che', 'Faith Chebet'],
    ["/?q=o'dh", 'Zawadi'],
    ['/?q=0700001234', 'P-001234'],
    ['/?q=%2B254700001234', 'P-001234'],
    ['/?q=skl001234', 'P-001234'],
    ['/?q=nobody+at+all', 'Nothing was found'],
  ])('reads at most 200 rows for $0', async ([path, expected], { task }) => {
    const { rows, text } = await read(path)
    Object.assign(task.meta, { rowsRead: rows })
    expect(text.includes(expected), expected).toBe(true)
    expect(rows).toBeLessThanOrEqual(MAX_ROWS)
  })

  it('leads from page to page through every order of a stage, once', async () => {
    const seen: string[] = []
    let path: string | undefined = '/?stage=on-the-way'
    for (let pages = 0; path && pages < 4; pages++) {
      const { text } = await read(path)
      seen.push(...[...text.matchAll(/order__number">(P-\d+)/g)].map(([, number = '']) => number))
      path = /href="(\/\?stage=on-the-way&amp;after=[^"]+)"/.exec(text)?.[1]?.replace('&amp;', '&')
    }
    expect(seen).toHaveLength(80)
    expect(new Set(seen).size).toBe(80)
    expect(seen).toEqual(seen.toSorted().reverse())
  })

  it('counts again what was changed and deleted', async () => {
    const id = 'counted'
    const { db } = deps
    const [waiting] = await db.select().from(orders).limit(1)
    if (!waiting) throw new Error('There are no orders.')
    await db
      .insert(orders)
      .values({ ...waiting, id, number: 'P-COUNTED', idempotencyKey: id, status: 'placed' })
    expect((await read('/')).text).toContain('>626<')
    await db.update(orders).set({ status: 'packed' })
    expect((await read('/')).text).toContain('>5001<')
    await db.delete(payments)
    await db.delete(orderLines)
    await db.delete(orders)
    expect((await read('/')).text).not.toContain('class="badge"')
  })
})
