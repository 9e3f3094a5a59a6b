import { eq, getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { personalData, personalTables } from '#server/accounts/personal-data.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { hashPassword } from '#server/platform/auth/passwords.ts'
import * as schema from '#server/platform/db/schema.ts'
import { type ExportedData, exportDataCall } from '#shared/accounts/contract.ts'
import { createAccount, createSession, toCookieHeader } from '#test/support/account.ts'
import { logIn, register } from '#test/support/auth-calls.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { createMpesaPayment, insertRefund } from '#test/support/payments.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

const PASSWORD = 'kikoi-6'
const { db } = testContext()
const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))

/** Columns that may still contain the mark or the user's ID after the account is deleted. */
const RETAINED_COLUMNS = [
  ...['id', 'number', 'userId', 'idempotencyKey', 'country', 'state', 'deliveryZone', 'pickup'].map(
    (column) => `orders.${column}`,
  ),
  ...['paymentProvider', 'paymentReference'].map((column) => `orders.${column}`),
  ...['orderId', 'title', 'size', 'image'].map((column) => `order_lines.${column}`),
  ...['sales_items', 'figure_items', 'invoice_lines'].flatMap((table) =>
    ['title', 'size'].map((column) => `${table}.${column}`),
  ),
  ...['orderId', 'paymentId', 'refundId'].map((column) => `invoices.${column}`),
  'customer_blocks.id',
  'customer_blocks.actor',
  'order_documents.orderId',
  ...['id', 'orderId', 'reference', 'receipt', 'recordedAs', 'callbackHash'].map(
    (column) => `payments.${column}`,
  ),
  ...['receipt', 'orderId', 'linkedReceipt', 'matchedTo'].map((column) => `withdrawals.${column}`),
  ...['id', 'orderId', 'paymentId', 'reference', 'callbackHash', 'receipt', 'returnId'].map(
    (column) => `refunds.${column}`,
  ),
  ...['orderId', 'paymentId', 'receipt'].map((column) => `incoming_payments.${column}`),
  ...['order_events.orderId', 'stock_holds.orderId'],
  ...['id', 'orderId', 'pickup'].map((column) => `order_returns.${column}`),
  ...['returnId', 'title', 'size', 'replacementTitle', 'replacementSize', 'replacementImage'].map(
    (column) => `return_lines.${column}`,
  ),
]

let userCount = 0

async function createUser() {
  const ctx = testContext()
  const mark = `mark${++userCount}x`
  const passwordHash = await hashPassword(PASSWORD, ctx)
  const person = await createAccount(ctx, { email: `${mark}@shopper.test`, passwordHash })
  await createSession(ctx, person.user)
  return { ...person, mark }
}

type TestUser = Awaited<ReturnType<typeof createUser>>

const belongsToOrder = (table: SQLiteTable) =>
  getTableConfig(table).foreignKeys.some((key) => key.reference().foreignTable === schema.orders)
/** Triggers create the rows of these tables. */
const triggered: readonly SQLiteTable[] = [schema.invoices, schema.orderDocuments]
const personalRowTables = tables.filter(
  (table) =>
    table !== schema.users &&
    !triggered.includes(table) &&
    personalTables.some((personal) => personal.table === table),
)

const anyRecords = fc.record({
  orders: fc.array(fc.constantFrom('delivered', 'cancelled', 'expired'), {
    maxLength: 3,
  }),
  promoCode: fc.constantFrom('KARIBU10', null),
  rows: fc.array(fc.nat({ max: 3 }), {
    minLength: personalRowTables.length,
    maxLength: personalRowTables.length,
  }),
})
type Records = typeof anyRecords extends fc.Arbitrary<infer Value> ? Value : never

const FULL_RECORDS: Records = {
  orders: ['delivered', 'cancelled'],
  promoCode: null,
  rows: personalRowTables.map(() => 2),
}

/** The row is built from the schema, so that new tables are included. */
function createMarkedRow(
  table: SQLiteTable,
  { user, mark }: TestUser,
  nth: number,
  { orders, promoCode }: Records = FULL_RECORDS,
): Record<string, unknown> {
  const referred = new Map(
    getTableConfig(table).foreignKeys.map((key) => {
      const { columns, foreignTable } = key.reference()
      return [columns[0]?.name, getTableName(foreignTable)]
    }),
  )
  const orderId = `${mark} order ${nth}`
  const special: Record<string, unknown> = {
    users: user.id,
    orders: orderId,
    promotions: promoCode,
    order_returns: `${mark} return ${nth}`,
    'order_returns.id': `${mark} return ${nth}`,
    'order_returns.state': 'completed',
    'orders.id': orderId,
    'orders.status': orders[nth - 1],
    'outbox.status': 'sent',
    'outbox.recipient': user.email,
    'contact_messages.email': user.email.toUpperCase(),
    'payments.id': `${mark} payment ${nth}`,
    payments: `${mark} payment ${nth}`,
    'payments.state': 'settled',
    'payments.nextCheckAtMs': null,
    'payments.refundState': null,
    'refunds.state': 'done',
    'refunds.nextAtMs': null,
    'outbox.subjectId': `${mark} subject ${nth}`,
  }
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, column]) => {
      const target = referred.get(column.name) ?? `${getTableName(table)}.${key}`
      if (target in special) return [key, special[target]]
      if (key === 'email') return [key, user.email]
      if (column.enumValues?.length) return [key, column.enumValues[0]]
      if (column.dataType === 'number') return [key, nth]
      return [key, column.dataType === 'boolean' ? false : `${mark} ${key} ${nth}`]
    }),
  )
}

async function insertRecords(person: TestUser, records = FULL_RECORDS) {
  await db
    .insert(schema.promotions)
    .values({ code: 'KARIBU10', kind: 'percent', value: 10, createdAtMs: 0 })
    .onConflictDoNothing()
  for (const [index, table] of personalRowTables.entries()) {
    const expectedCount = records.rows[index] ?? 0
    const orders = records.orders.length
    const isRequired = [schema.orders, schema.payments, schema.orderReturns].some((one) => one === table)
    const count = isRequired
      ? orders
      : belongsToOrder(table) || table === schema.returnLines
        ? Math.min(expectedCount, orders)
        : expectedCount
    for (let nth = 1; nth <= count; nth++)
      await db.insert(table).values(createMarkedRow(table, person, nth, records))
  }
  const profile = createMarkedRow(schema.users, person, 1)
  const { user } = person
  await db
    .update(schema.users)
    .set({ firstName: String(profile.firstName), phone: String(profile.phone), address: person.mark })
    .where(eq(schema.users.id, user.id))
}

async function selectUserRows(table: SQLiteTable, { mark, user }: TestUser) {
  return (await db.select().from(table)).filter((row) => {
    const text = JSON.stringify(row).toLowerCase()
    return text.includes(mark) || text.includes(user.id.toLowerCase())
  })
}

async function listColumnsWithMark({ mark, user }: TestUser): Promise<string[]> {
  const foundColumns = new Set<string>()
  for (const table of tables)
    for (const row of await db.select().from(table))
      for (const [column, value] of Object.entries(row))
        if (String(value).toLowerCase().includes(mark) || value === user.id)
          foundColumns.add(`${getTableName(table)}.${column}`)
  return [...foundColumns]
}

const readExport = async ({ bearer }: Pick<TestUser, 'bearer'>) => {
  const response = await get(testContext(), '/api/account/data', bearer)
  await expectStatus(response, 200)
  return { response, body: (await response.json()) as ExportedData }
}
const toExportedEntry = (column: string, value: unknown): [string, unknown] =>
  column.endsWith('AtMs')
    ? [column.slice(0, -2), typeof value === 'number' ? new Date(value).toISOString() : null]
    : [column, value]
const sortRows = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted()
const deleteAccount = (password: string, headers: Record<string, string>, ctx = testContext()) =>
  postJson(ctx, '/api/account/delete', { password }, headers)

/** These tables describe the shop and its team. Owners delete a team member's data in the office. */
const staffTables: readonly SQLiteTable[] = [
  schema.sellers,
  schema.teamMembers,
  schema.alertSettings,
  schema.alertDevices,
  schema.alerts,
]

it('tables that aren’t listed as personal have no column that could identify a customer', () => {
  for (const table of tables.filter((table) => !staffTables.includes(table))) {
    const isPersonal = personalTables.some((personal) => personal.table === table)
    const { name, columns, foreignKeys } = getTableConfig(table)
    const names = columns.map((column) => column.name)
    const suspicious = names.filter((column) => /user|email|phone|name|address|recipient/.test(column))
    const targets = foreignKeys.map((key) => getTableName(key.reference().foreignTable))
    if (!isPersonal) expect([name, ...suspicious, ...targets]).toEqual([name])
  }
  expect(Object.keys(personalData)).toHaveLength(tables.length)
})

describe('the data export', () => {
  it('contains every row of the user and no one else’s; deleting the account leaves only bookkeeping data', async () => {
    const other = await createUser()
    await insertRecords(other)
    // The rows of these tables belong to no user.
    const shared: readonly SQLiteTable[] = [schema.salesItems, schema.figureItems, schema.invoiceLines]
    const compared = tables.filter((table) => !shared.includes(table))
    const before = await Promise.all(compared.map((table) => selectUserRows(table, other)))
    await fc.assert(
      fc.asyncProperty(anyRecords, async (records) => {
        const user = await createUser()
        await insertRecords(user, records)
        const isFull = records.orders.length > 0 && records.rows.every((count) => count > 0)
        const { response, body } = await readExport(user)
        expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="pamba-data.json"')
        expect(exportDataCall.response.parse(body)).toEqual(body)
        expect(JSON.stringify(body)).not.toContain(other.mark)
        expect(JSON.stringify(body)).not.toMatch(/scrypt|[hH]ash"/)
        for (const { name, table, excludedColumns = [] } of personalTables) {
          const expected = (await selectUserRows(table, user)).map((row) =>
            Object.entries(row).flatMap(([column, value]) =>
              excludedColumns.some((excluded) => excluded === column) ? [] : [toExportedEntry(column, value)],
            ),
          )
          if (isFull) expect(expected.length, name).toBeGreaterThan(0)
          expect(sortRows(body.data[name] ?? []), name).toEqual(
            sortRows(expected.map((entries) => Object.fromEntries(entries))),
          )
        }

        const ctx = testContext()
        await expectStatus(await deleteAccount(PASSWORD, user.bearer, ctx), 204)
        await ctx.backgroundDone()
        expect(
          (await listColumnsWithMark(user)).filter((place) => !RETAINED_COLUMNS.includes(place)),
        ).toEqual([])
        const remaining = (await db.select().from(schema.orders)).filter(({ id }) => id.startsWith(user.mark))
        expect(remaining).toHaveLength(records.orders.length)
        for (const order of remaining)
          expect(order).toMatchObject({ userId: 'deleted', firstName: '', email: '', requestHash: '' })
      }),
      { numRuns: 6, examples: [[FULL_RECORDS]] },
    )
    expect(await Promise.all(compared.map((table) => selectUserRows(table, other)))).toEqual(before)
  })

  it('omits contact messages while the account’s email address is unverified', async () => {
    const { email } = (await createUser()).user
    await postJson(testContext(), '/api/contact', { name: 'Amina', email, message: 'Habari, a message.' })
    const ctx = testContext()
    await db.update(schema.users).set({ emailVerifiedAtMs: null }).where(eq(schema.users.email, email))
    const [row] = await db.select().from(schema.users).where(eq(schema.users.email, email))
    const { bearer } = await createSession(ctx, row as TestUser['user'])
    expect((await readExport({ bearer })).body.data.contactMessages).toEqual([])
  })

  it('requires a session and is rate limited', async () => {
    await expectStatus(await get(testContext(), '/api/account/data'), 401)
    const { cookie } = await createUser()
    const limits = { ...testContext().limits, writes: async () => false }
    await expectStatus(await get(testContext({ limits }), '/api/account/data', cookie), 429)
  })
})

describe('deleting an account', () => {
  it('sends an email that is not stored, and clears the browser’s data', async () => {
    const { cookie, user } = await createUser()
    const ctx = testContext()
    const response = await deleteAccount(PASSWORD, cookie, ctx)
    await ctx.backgroundDone()
    expect(ctx.emails).toMatchObject([{ kind: 'account-deleted', recipient: user.email }])
    expect(await db.$count(schema.outbox, eq(schema.outbox.recipient, user.email))).toBe(0)
    expect(response.headers.get('Clear-Site-Data')).toBe('"storage"')
    const cleared = response.headers.getSetCookie().map((value) => value.split(';')[0])
    expect(cleared).toEqual(['__Host-session=', '__Host-device='])
  })

  it('invalidates the password, reset links and sessions, and frees the email address', async () => {
    const { user, bearer, cookie } = await createUser()
    const ctx = testContext()
    await postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: user.email })
    await ctx.backgroundDone()
    const oobCode = /oobCode=([\w-]+)/.exec(ctx.emails[0]?.text ?? '')?.[1]
    await expectStatus(await deleteAccount(PASSWORD, bearer), 204)
    for (const session of [bearer, cookie])
      await expectStatus(await get(testContext(), '/api/auth/session', session), 401)
    await expectStatus(await logIn({ email: user.email, password: PASSWORD }), 401)
    const reset = { oobCode, newPassword: 'kitenge-9' }
    await expectStatus(await postJson(testContext(), '/v1/accounts:resetPassword', reset), 400)
    await expectStatus(await deleteAccount(PASSWORD, bearer), 401)

    const again = await register({ name: 'Amina', email: user.email, password: 'kitenge-9' })
    await expectStatus(again, 201)
    const orders = await get(testContext(), '/api/orders', { Cookie: toCookieHeader(again) })
    expect(await orders.json()).toEqual({ orders: [], next: null })
  })

  it('requires the password, a session and a request from the shop’s own origin', async () => {
    const { bearer, cookie } = await createUser()
    const wrong = await deleteAccount('not-this-one', bearer)
    await expectStatus(wrong, 400)
    expect(await wrong.json()).toMatchObject({ errors: { password: 'Password is incorrect.' } })
    await expectStatus(await deleteAccount(PASSWORD, {}), 401)
    await expectStatus(await deleteAccount(PASSWORD, { ...cookie, Origin: 'https://evil.example' }), 403)
    await expectStatus(await get(testContext(), '/api/auth/session', bearer), 200)
  })

  it('is refused, with a reason, while an order is undelivered or a refund is incomplete', async () => {
    const person = await createUser()
    const { body } = await postOrder(testContext(), person, orderRequest())
    const { number } = body.order
    const byNumber = eq(schema.orders.number, number)
    const expectRefusal = async (sentence: string) => {
      const response = await deleteAccount(PASSWORD, person.bearer)
      await expectStatus(response, 409)
      expect(await response.json()).toMatchObject({
        code: 'account_has_orders',
        message: expect.stringContaining(sentence),
      })
      expect(await db.select().from(schema.orders).where(byNumber)).toMatchObject([{ firstName: 'Wanjiru' }])
    }
    await expectRefusal(
      `Your order ${number} hasn’t been delivered yet, and we still need your details for it.`,
    )
    await db.update(schema.orders).set({ status: 'cancelled' }).where(byNumber)
    const [payment] = await db
      .select()
      .from(schema.payments)
      .where(eq(schema.payments.amountCents, body.order.totals.totalCents))
    await insertRefund(payment, { state: 'by_hand' }, testContext())
    await expectRefusal(`A refund or return for order ${number} isn’t complete yet.`)
    await db.update(schema.refunds).set({ state: 'done' })
    await expectStatus(await deleteAccount(PASSWORD, person.bearer), 204)
  })

  it('cancels unpaid orders, and erases the phone number once no payment can arrive', async () => {
    const person = await createUser()
    const { body } = await postOrder(
      testContext(),
      person,
      orderRequest(undefined, { payment: createMpesaPayment('0712 345 678') }),
    )
    await expectStatus(await deleteAccount(PASSWORD, person.bearer), 204)
    const byNumber = eq(schema.orders.number, body.order.number)
    const [order] = await db.select().from(schema.orders).where(byNumber)
    expect(order).toMatchObject({ status: 'cancelled', userId: 'deleted' })
    const readPhones = async () =>
      (
        await db
          .select()
          .from(schema.payments)
          .where(eq(schema.payments.orderId, order?.id ?? ''))
      ).map(({ phone }) => phone)
    await runHousekeeping(testContext())
    expect(await readPhones()).toEqual(['254712345678'])
    const afterFourDays = testContext({ clock: () => NOW_MS + 4 * 86_400_000 })
    await runHousekeeping(afterFourDays)
    expect(await readPhones()).toEqual([null])
  })

  it('is refused if the password changes while it is being checked', async () => {
    const { bearer, user } = await createUser()
    const { deriveKey } = testContext()
    const racing = testContext({
      async deriveKey(...input) {
        const key = await deriveKey(...input)
        await db.update(schema.users).set({ passwordHash: 'another' }).where(eq(schema.users.id, user.id))
        return key
      },
    })
    await expectStatus(await deleteAccount(PASSWORD, bearer, racing), 401)
    expect(await db.$count(schema.users, eq(schema.users.id, user.id))).toBe(1)
  })

  it('is possible with a form without JavaScript, which reports a wrong password', async () => {
    const { cookie } = await createUser()
    const wrong = await postForm(testContext(), '/dashboard/data', { password: 'not-this-one' }, cookie)
    await expectStatus(wrong, 400)
    expect(await wrong.text()).toContain('Password is incorrect.')
    const done = await postForm(testContext(), '/dashboard/data', { password: PASSWORD }, cookie)
    await expectStatus(done, 200)
    expect(await done.text()).toContain('Your account has been deleted')
    expect(done.headers.get('Clear-Site-Data')).toBe('"storage"')
    expect(done.headers.getSetCookie().join()).toContain('Max-Age=0')
  })
})
