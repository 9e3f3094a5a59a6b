import { and, eq } from 'drizzle-orm'
import { METHOD_NAME_ALL } from 'hono/router'
import { describe, expect, it } from 'vitest'
import { createOffice } from '#office/app.tsx'
import { getPermissionKey, PERMISSIONS } from '#office/platform/permissions.ts'
import type { DataContext } from '#server/context.ts'
import { listCustomers } from '#server/customers/list-customers.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { readBoard } from '#server/orders/office-board.ts'
import { readOrderDetails } from '#server/orders/office-order.ts'
import { requireOwner } from '#server/platform/auth/owner-context.ts'
import {
  AUDIT_ACTIONS,
  type AuditAction,
  COMMAND_LINE_ACTOR,
  commitAudited,
  mayPerform,
  NotPermittedError,
} from '#server/platform/db/audit.ts'
import { auditLog, promotions } from '#server/platform/db/schema.ts'
import { ROLES } from '#shared/team/roles.ts'
import { createAccount } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { billing, orderRequest, postOrder } from '#test/support/orders.ts'
import operatingGuide from '../../docs/operating.md?raw'
import items from '../../public/Items.json'

const OWNER_ROUTES = Object.keys(PERMISSIONS).filter((key) => !PERMISSIONS[key]?.includes('packer'))
const OWNER_ACTIONS = (Object.keys(AUDIT_ACTIONS) as AuditAction[]).filter(
  (action) => !mayPerform('packer', action),
)

const shopCtx = testContext()
const ctx = officeContext({ shop: { fetch: async () => Response.json(items) } })
const owner = await createOfficeClient(ctx)
const PACKER = 'otieno@pamba.test'
const packer = await createOfficeClient(ctx, PACKER, undefined, 'packer')

const placeOrder = async () =>
  (
    await postOrder(
      shopCtx,
      await createAccount(shopCtx),
      orderRequest([{ id: 1, qty: 2 }], { billing: { ...billing, phone: '0712 345 678' } }),
    )
  ).body.order.number
const order = await placeOrder()
const readRefusals = async (actor: string) => {
  const isRefusal = and(eq(auditLog.action, 'team.refused'), eq(auditLog.actor, actor))
  return (await ctx.db.select().from(auditLog).where(isRefusal)).map(({ subject }) => subject)
}
const readStatus = async (number: string) => (await readOrderDetails(number, ctx))?.row.status
const advance = async (number: string, ...statuses: readonly ('packed' | 'shipped' | 'delivered')[]) => {
  for (const to of statuses) await changeOrderStatus({ number, to, actor: COMMAND_LINE_ACTOR }, ctx)
}

describe('the office’s routes', () => {
  it('all name the roles that may use them', () => {
    const routes = createOffice(ctx).routes.filter(({ method }) => method !== METHOD_NAME_ALL)
    expect([...new Set(routes.map(getPermissionKey))].sort()).toEqual(Object.keys(PERMISSIONS).sort())
  })

  it('are open to packers as docs/operating.md says', () => {
    const [, pages = '', actions = ''] = /^\| Packer \|([^|]*)\|([^|]*)\|$/m.exec(operatingGuide) ?? []
    const findPaths = (text: string) => [...text.matchAll(/`(\/[^`]*)`/g)].map(([, path]) => path).sort()
    const listPermitted = (method: string) =>
      Object.keys(PERMISSIONS)
        .filter((key) => key.startsWith(`${method} /`) && !/[.*]/.test(key))
        .filter((key) => PERMISSIONS[key]?.includes('packer'))
        .map((key) => key.slice(method.length + 1))
        .sort()
    expect(findPaths(pages)).toEqual(listPermitted('GET'))
    expect(findPaths(actions)).toEqual(listPermitted('POST'))
  })

  it.each(Object.keys(PERMISSIONS).filter((key) => !/\*$|\.(css|js)$/.test(key)))(
    'admit a packer to %s only if its roles include packers, and record a refusal',
    async (key) => {
      const [method = '', route = ''] = key.split(' ')
      const email = `${crypto.randomUUID()}@pamba.test`
      const client = await createOfficeClient(ctx, email, undefined, 'packer')
      const path = route.replace(':number', order).replace(':id', '1')
      const { status, text } = await (method === 'GET' ? client.get(path) : client.post(path, {}))
      const isOpen = PERMISSIONS[key]?.includes('packer')
      expect(status === 403, `${key}: ${status}`).toBe(!isOpen)
      expect(await readRefusals(email)).toEqual(isOpen ? [] : [`${method} ${path}`])
      expect(text).not.toContain('KSH')
    },
  )
})

/** If several routes match, the one with the fewest parameters and wildcards applies. */
function findRoles(method: string, url: string) {
  const path = url.split(/[?#]/)[0] ?? ''
  const keys = Object.keys(PERMISSIONS).filter((key) => {
    const [verb, route = ''] = key.split(' ')
    return (
      verb === method &&
      new RegExp(`^${route.replace(/:\w+(\{.+?\})?/g, '[^/]+').replace('*', '.*')}$`).test(path)
    )
  })
  const [key = ''] = keys.toSorted(
    (a, b) => (a.match(/[:*]/g) ?? []).length - (b.match(/[:*]/g) ?? []).length,
  )
  return PERMISSIONS[key] ?? []
}

describe('a packer', () => {
  it('is offered nothing that only the owner may use', async () => {
    const number = await placeOrder()
    for (const page of [
      '/',
      '/?stage=send',
      `/orders/${number}`,
      `/packing-slips?orders=${number}`,
      '/stock',
      '/more',
      '/alerts',
    ]) {
      const { text } = await packer.get(page)
      const links = [...text.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, url = '']) => ['GET', url])
      const forms = [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"/g)].map(
        ([, url = '']) => ['POST', url],
      )
      for (const [method = '', url = ''] of [...links, ...forms])
        expect(findRoles(method, url), `${page}: ${method} ${url}`).toContain('packer')
    }
  })

  it('sees an order to pack without prices, email address, payments and history', async () => {
    const number = await placeOrder()
    const { text } = await packer.get(`/orders/${number}`)
    for (const part of ['Wanjiru Kamau', 'Ngong Road 12', 'tel:+254712345678', 'Mark as packed'])
      expect(text, part).toContain(part)
    for (const part of ['KSH', 'wanjiru@example.com', 'Visa', 'Timeline', 'Cancel order', 'Refund'])
      expect(text, part).not.toContain(part)
    expect((await packer.get('/')).text).not.toContain('KSH')
    expect((await packer.get('/')).text).not.toMatch(/href="\/(messages|figures|payments)"/)
  })

  it('can pack and send an order, and undo both', async () => {
    const number = await placeOrder()
    const changeStatus = (from: string, to: string) => packer.post(`/orders/${number}/status`, { from, to })
    await changeStatus('placed', 'packed')
    await changeStatus('packed', 'placed')
    await changeStatus('placed', 'packed')
    const sent = await changeStatus('packed', 'shipped')
    expect(await readStatus(number)).toBe('shipped')
    const { text } = await packer.get(sent.location ?? '')
    expect(text).toContain('Undo')
    expect(text, 'a link to a page that packers can’t see').not.toContain(`href="/orders/${number}"`)
    await changeStatus('shipped', 'packed')
    expect(await readStatus(number)).toBe('packed')
  })

  it.each([
    ['cancel an order', 'placed', 'cancelled'],
    ['mark an order as delivered', 'shipped', 'delivered'],
  ] as const)('can’t %s', async (_what, from, to) => {
    const number = await placeOrder()
    if (from === 'shipped') await advance(number, 'packed', 'shipped')
    expect((await packer.post(`/orders/${number}/status`, { from, to })).status).toBe(403)
    expect(await readStatus(number)).toBe(from)
    expect((await readRefusals(PACKER)).join()).toContain(`POST /orders/${number}/status (order.`)
  })

  it('sees no delivered order, and can’t search', async () => {
    const number = await placeOrder()
    await advance(number, 'packed', 'shipped', 'delivered')
    expect((await packer.get(`/orders/${number}`)).status).toBe(404)
    expect((await packer.get(`/packing-slips?orders=${number}`)).status).toBe(404)
    expect((await packer.post(`/orders/${number}/notes`, { note: 'Hello' })).status).toBe(404)
    for (const path of ['/?stage=done', '/?stage=pay', `/?q=${number}`, '/?q=Wanjiru', `/?changed=${number}`])
      expect((await packer.get(path)).text, path).not.toContain(number)
  })

  it('can’t obtain the context of owner-only queries, or call them with another context', async () => {
    const actor = { email: PACKER, role: 'packer' } as const
    expect(() => requireOwner(actor, ctx)).toThrow(NotPermittedError)
    const data: DataContext = ctx
    const board = { stage: 'done', after: undefined, viewer: actor } as const
    await expect(readBoard(board, ctx)).rejects.toThrow(NotPermittedError)
    // @ts-expect-error The type check is the test: without a check of the role, this doesn't compile.
    expect(await listCustomers({}, data)).toBeDefined()
  })

  it.each(OWNER_ACTIONS)('can’t commit %s, even if a route allowed it', async (action) => {
    const actor = { email: PACKER, role: 'packer' } as const
    const audit = { actor, action, subject: 'FREE' }
    await expect(commitAudited({ statements: [ctx.db.delete(promotions)], audit }, ctx)).rejects.toThrow(
      NotPermittedError,
    )
  })
})

/** Every form is valid with these fields, and ignores those of the others. */
const ANY_FORM_FIELDS = {
  from: 'placed',
  to: 'cancelled',
  amount: '100',
  reason: 'other',
  seen: '0',
  returnAction: 'cancel',
  refund: 'x',
  payment: 'x',
  type: 'cash',
  kraPin: 'A123456789Z',
  phone: '0712345678',
  hours: '24',
  numbers: 'P-AAAAAA',
  provider: 'mpesa',
  receipt: 'ABC123',
  amountCents: '100',
  number: '1',
  day: '2026-11-20',
  name: 'X',
  code: 'FREE',
  kind: 'percent',
  value: '10',
  email: 'otieno@pamba.test',
  role: 'owner',
  id: '1',
  base: '0',
  revision: '1',
  note: 'Note',
  save: 'yes',
  pin: 'A123456789Z',
  as: 'read',
}
const FIELDS: Record<string, Record<string, string>> = {
  'POST /catalogue/move': { to: 'up' },
  'POST /catalogue/state': { to: 'hidden' },
  'POST /catalogue/categories': { to: 'add' },
}
const PATHS: Record<string, string> = {
  'GET /catalogue/preview/*': '/catalogue/preview/products',
  'GET /exports/file': '/exports/file?name=orders&format=csv&from=2026-11-01&to=2026-11-21',
}
const HARMLESS = ['GET /exports', 'GET /photos.js']

describe('even if the table of routes allows it', () => {
  it.each(OWNER_ROUTES.filter((key) => !HARMLESS.includes(key)))(
    'a packer is refused %s, and the refusal is recorded',
    async (key) => {
      const [method = '', route = ''] = key.split(' ')
      const email = `${crypto.randomUUID()}@pamba.test`
      const client = await createOfficeClient(ctx, email, undefined, 'packer')
      const name = route.startsWith('/content') ? 'banner' : '1'
      const path = PATHS[key] ?? route.replace(':number', order).replace(/:id|:name/, name)
      PERMISSIONS[key] = ROLES
      const visit =
        method === 'GET' ? client.get(path) : client.post(path, { ...ANY_FORM_FIELDS, ...FIELDS[key] })
      const { status } = await visit.finally(() => {
        PERMISSIONS[key] = ['owner']
      })
      expect(status, key).toBe(403)
      const entries = await ctx.db.select().from(auditLog).where(eq(auditLog.actor, email))
      expect(entries.map(({ action }) => action)).toEqual(['team.refused'])
    },
  )
})

describe('the team', () => {
  it('is changed by the owner with immediate effect and an audit entry', async () => {
    const email = 'nekesa@pamba.test'
    const helper = await createOfficeClient(ctx, email, undefined, 'packer')
    await owner.post('/team/remove', { email })
    const refused = await helper.get('/stock')
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('You aren’t on the team yet.')
    expect(await readRefusals(email)).toEqual(['GET /stock'])
    expect((await owner.post('/team', { email: ' Nekesa@Pamba.test', role: 'packer' })).status).toBe(303)
    expect((await helper.get('/stock')).status).toBe(200)
    expect((await helper.get('/figures')).status).toBe(403)
    const again = await owner.post('/team', { email, role: 'packer' })
    expect(again.status).toBe(409)
    expect(again.text).toContain(`${email} is already on the team as “Packer”.`)
    const changed = await owner.post('/team', { email, role: 'owner' })
    expect((await owner.get(changed.location ?? '')).text).toContain('Role changed.')
    expect((await helper.get('/figures')).status).toBe(200)
    expect((await owner.get('/team')).text).toContain(email)
    const entries = await ctx.db.select().from(auditLog).where(eq(auditLog.subject, email))
    expect(entries.map(({ action, from, to }) => [action, from, to])).toEqual(
      expect.arrayContaining([
        ['team.remove', null, null],
        ['team.add', null, 'packer'],
        ['team.add', 'packer', 'owner'],
      ]),
    )
  })

  it.each([
    ['/team', { email: 'nobody', role: 'packer' }, 409, 'Please enter an email address'],
    ['/team', { email: 'achieng@pamba.test', role: 'packer' }, 409, 'You can’t change your own role.'],
    ['/team/remove', { email: 'ACHIENG@pamba.test' }, 409, 'You can’t change your own role.'],
    ['/team', { email: 'x@pamba.test', role: 'admin' }, 400, 'This form is out of date.'],
  ])('can’t be changed by %s with %j', async (path, form, status, message) => {
    const refused = await owner.post(path, form)
    expect(refused.status).toBe(status)
    expect(refused.text).toContain(message)
    expect((await owner.get('/team')).status).toBe(200)
  })

  it('needs an owner in the configuration, or everyone is refused', async () => {
    const { OWNER_EMAIL: _, ...config } = ctx.config
    const client = await createOfficeClient({ ...ctx, config })
    expect((await client.get('/')).status).toBe(403)
  })
})
