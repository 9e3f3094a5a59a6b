import { and, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ServiceContext } from '#server/context.ts'
import { byOpenRefundState } from '#server/payments/payment-transitions.ts'
import { type Credential, createSessionQuery, UNAUTHORIZED } from '#server/platform/auth/sessions.ts'
import type { Database } from '#server/platform/db/client.ts'
import type * as schema from '#server/platform/db/schema.ts'
import {
  accountEvents,
  contactMessages,
  customerBlocks,
  customerNotes,
  incomingPayments,
  invoices,
  orderDocuments,
  orderEvents,
  orderLines,
  orderNotes,
  orderReturns,
  orders,
  outbox,
  passwordResets,
  payments,
  refunds,
  reservationSources,
  returnLines,
  sessions,
  stockAlerts,
  stockReservations,
  users,
  withdrawals,
} from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import type { ExportedData } from '#shared/accounts/contract.ts'
import { getErasedOrderFields, getOrderFieldDefinition, ORDER_FIELDS } from '#shared/orders/fields.ts'

/** The user to whom the orders of deleted accounts belong. This user can't log in. */
export const DELETED_USER_ID = 'deleted'

type DatabaseSchema = typeof schema
type TableName = {
  [Name in keyof DatabaseSchema]: DatabaseSchema[Name] extends SQLiteTable ? Name : never
}[keyof DatabaseSchema]

type PersonalData<Table extends SQLiteTable> = {
  table: Table
  byUser: (userId: SQL, db: Database) => SQL | undefined
  /** The export omits these columns: secrets, other people's names and technical values. */
  excludedColumns?: readonly (keyof Table['$inferSelect'])[]
  onDeletion:
    | 'delete'
    | 'keep'
    | { set: { [Column in keyof Table['$inferInsert']]?: Table['$inferInsert'][Column] | SQL } }
}

function selectOrderIds(userId: SQL, db: Database) {
  return db.select({ id: orders.id }).from(orders).where(sql`${orders.userId} = ${userId}`)
}

/** Null if the email address is unverified, because the rows with this address may be another person's. */
function selectVerifiedEmail(userId: SQL): SQL {
  // SQLite doesn't use an index on `lower(…)` for a comparison with a plain text column.
  return sql`(select lower(${users.email}) from ${users} where ${users.id} = ${userId} and ${users.emailVerifiedAtMs} is not null)`
}

/**
 * Other payments keep their phone number, which a refund may need, until a trigger erases it when they become final.
 */
const byFinalPayment = and(
  isNull(payments.nextCheckAtMs),
  sql`not exists (select 1 from ${refunds} where ${refunds.paymentId} = ${payments.id} and ${byOpenRefundState})`,
)

/**
 * The entries are in deletion order, and null for tables without personal data. The code doesn't compile if a table of
 * the schema is missing.
 */
export const personalData = {
  outbox: {
    table: outbox,
    byUser: (userId, db) =>
      or(
        sql`${outbox.subjectId} = ${userId}`,
        inArray(outbox.subjectId, selectOrderIds(userId, db)),
        ...[payments, refunds].map(
          (table) =>
            sql`${outbox.subjectId} in (select ${table.id} from ${table} where ${inArray(table.orderId, selectOrderIds(userId, db))})`,
        ),
        sql`${outbox.subjectId} in (select ${passwordResets.codeHash} from ${passwordResets} where ${passwordResets.userId} = ${userId})`,
        sql`lower(${outbox.recipient}) = ${selectVerifiedEmail(userId)}`,
        sql`(${outbox.replyTo} is not null and lower(${outbox.replyTo}) = ${selectVerifiedEmail(userId)})`,
      ),
    // The texts of unsent emails can contain links that give access to the account.
    excludedColumns: ['text', 'html', 'subjectId', 'orderUrl', 'lastError'],
    onDeletion: 'delete',
  },
  contactMessages: {
    table: contactMessages,
    byUser: (userId) => sql`lower(${contactMessages.email}) = ${selectVerifiedEmail(userId)}`,
    onDeletion: 'delete',
  },
  customerNotes: {
    table: customerNotes,
    byUser: (userId) => sql`${customerNotes.userId} = ${userId}`,
    excludedColumns: ['author'],
    onDeletion: 'delete',
  },
  customerBlocks: {
    table: customerBlocks,
    byUser: (userId) => sql`${customerBlocks.userId} = ${userId}`,
    excludedColumns: ['actor'],
    // `hashErasedBlocks` then replaces the email address and phone number.
    onDeletion: { set: { userId: DELETED_USER_ID, reason: null } },
  },
  stockAlerts: {
    table: stockAlerts,
    byUser: (userId) => sql`${stockAlerts.email} = ${selectVerifiedEmail(userId)}`,
    onDeletion: 'delete',
  },
  orderNotes: {
    table: orderNotes,
    byUser: (userId, db) => inArray(orderNotes.orderId, selectOrderIds(userId, db)),
    excludedColumns: ['author'],
    onDeletion: 'delete',
  },
  returnLines: {
    table: returnLines,
    byUser: (userId, db) =>
      inArray(
        returnLines.returnId,
        db
          .select({ id: orderReturns.id })
          .from(orderReturns)
          .where(inArray(orderReturns.orderId, selectOrderIds(userId, db))),
      ),
    onDeletion: 'keep',
  },
  orderReturns: {
    table: orderReturns,
    byUser: (userId, db) => inArray(orderReturns.orderId, selectOrderIds(userId, db)),
    onDeletion: { set: { note: null, declineMessage: null } },
  },
  orderEvents: {
    table: orderEvents,
    byUser: (userId, db) => inArray(orderEvents.orderId, selectOrderIds(userId, db)),
    onDeletion: { set: { note: null, trackingUrl: null } },
  },
  orderLines: {
    table: orderLines,
    byUser: (userId, db) => inArray(orderLines.orderId, selectOrderIds(userId, db)),
    onDeletion: 'keep',
  },
  stockReservations: {
    table: stockReservations,
    byUser: (userId, db) => inArray(stockReservations.orderId, selectOrderIds(userId, db)),
    onDeletion: 'keep',
  },
  reservationSources: {
    table: reservationSources,
    byUser: (userId, db) => inArray(reservationSources.orderId, selectOrderIds(userId, db)),
    excludedColumns: ['source'],
    onDeletion: 'delete',
  },
  incomingPayments: {
    table: incomingPayments,
    byUser: (userId, db) => inArray(incomingPayments.orderId, selectOrderIds(userId, db)),
    onDeletion: { set: { account: null, payer: null } },
  },
  refunds: {
    table: refunds,
    byUser: (userId, db) => inArray(refunds.orderId, selectOrderIds(userId, db)),
    excludedColumns: ['callbackHash', 'error', 'nextAtMs', 'attempts'],
    onDeletion: { set: { error: null } },
  },
  withdrawals: {
    table: withdrawals,
    byUser: (userId, db) => inArray(withdrawals.orderId, selectOrderIds(userId, db)),
    onDeletion: { set: { details: null } },
  },
  invoices: {
    table: invoices,
    byUser: (userId, db) => inArray(invoices.orderId, selectOrderIds(userId, db)),
    onDeletion: 'keep',
  },
  orderDocuments: {
    table: orderDocuments,
    byUser: (userId, db) => inArray(orderDocuments.orderId, selectOrderIds(userId, db)),
    onDeletion: 'keep',
  },
  payments: {
    table: payments,
    byUser: (userId, db) => inArray(payments.orderId, selectOrderIds(userId, db)),
    excludedColumns: [
      'callbackHash',
      'error',
      ...(['refundState', 'refundAttempts', 'nextRefundAtMs', 'refundError', 'refundedAtMs'] as const),
    ],
    onDeletion: {
      set: {
        phone: sql`case when ${byFinalPayment} then null else ${payments.phone} end`,
        cardBrand: null,
        cardLastFour: null,
        redirectTo: null,
        message: null,
        error: null,
        refundError: null,
      },
    },
  },
  orders: {
    table: orders,
    byUser: (userId) => sql`${orders.userId} = ${userId}`,
    excludedColumns: [
      'requestHash',
      ...ORDER_FIELDS.filter((field) => !getOrderFieldDefinition(field).shownIn.includes('dataExport')),
    ],
    onDeletion: {
      set: {
        userId: DELETED_USER_ID,
        idempotencyKey: sql`${orders.id}`,
        requestHash: '',
        ...getErasedOrderFields(),
        confirmationEmail: null,
        cardBrand: null,
        cardLastFour: null,
      },
    },
  },
  sessions: {
    table: sessions,
    byUser: (userId) => sql`${sessions.userId} = ${userId}`,
    excludedColumns: ['id', 'cookieHash', 'tokenHash'],
    onDeletion: 'delete',
  },
  passwordResets: {
    table: passwordResets,
    byUser: (userId) => sql`${passwordResets.userId} = ${userId}`,
    excludedColumns: ['codeHash'],
    onDeletion: 'delete',
  },
  accountEvents: {
    table: accountEvents,
    byUser: (userId) => sql`${accountEvents.userId} = ${userId}`,
    onDeletion: 'delete',
  },
  users: {
    table: users,
    byUser: (userId) => sql`${users.id} = ${userId}`,
    excludedColumns: ['passwordHash'],
    onDeletion: 'delete',
  },
  alertDevices: null,
  alertSettings: null,
  alerts: null,
  attemptCounts: null,
  auditLog: null,
  blockHashKeys: null,
  catalogueDraft: null,
  catalogueVersions: null,
  draftContent: null,
  draftProducts: null,
  closedDays: null,
  figureDays: null,
  figureItems: null,
  incomingRefunds: null,
  incomingSources: null,
  invoiceLines: null,
  invoiceNumbers: null,
  orderCounts: null,
  promotions: null,
  providerTokens: null,
  statements: null,
  salesDays: null,
  salesItems: null,
  sellers: null,
  stock: null,
  serverErrors: null,
  teamMembers: null,
  visitSpeeds: null,
} satisfies { [Name in TableName]: PersonalData<DatabaseSchema[Name] & SQLiteTable> | null }

export const personalTables = Object.entries(personalData).flatMap(([name, entry]) =>
  // `satisfies` has checked that each entry matches its table.
  entry ? [{ ...(entry as unknown as PersonalData<SQLiteTable>), name }] : [],
)

export function erasePersonalDataStatements(userId: string, db: Database): BatchItem<'sqlite'>[] {
  return personalTables.flatMap(({ table, byUser, onDeletion }): BatchItem<'sqlite'>[] => {
    if (onDeletion === 'keep') return []
    const byOwner = byUser(sql`${userId}`, db)
    return onDeletion === 'delete'
      ? [db.delete(table).where(byOwner)]
      : [db.update(table).set(onDeletion.set).where(byOwner)]
  })
}

export async function exportData(
  { credential }: { credential: Credential | null },
  ctx: ServiceContext,
): Promise<Result<ExportedData>> {
  const { db } = ctx
  if (!credential) return UNAUTHORIZED
  const session = await createSessionQuery(credential, ctx)
  const [sessionRows, ...read] = await db.batch([
    session.select,
    ...personalTables.map(({ table, byUser }) => db.select().from(table).where(byUser(session.userId, db))),
  ])
  const live = session.readLiveSession(sessionRows)
  if (!live) return UNAUTHORIZED
  const { user } = live
  if (!(await ctx.limits.writes(`data of ${user.id}`))) return { ok: false, error: tooManyRequestsError }
  const data = personalTables.map(({ name, excludedColumns = [] }, index) => {
    const excluded = new Set<PropertyKey>(excludedColumns)
    const rows = read[index] as Record<string, ExportedValue>[]
    return [name, rows.map((row) => toExportedRow(row, excluded))] as const
  })
  return {
    ok: true,
    data: { exportedAt: new Date(ctx.clock()).toISOString(), data: Object.fromEntries(data) },
  }
}

type ExportedValue = string | number | boolean | null

function toExportedRow(row: Record<string, ExportedValue>, excluded: ReadonlySet<PropertyKey>) {
  const columns = Object.entries(row).filter(([column]) => !excluded.has(column))
  return Object.fromEntries(
    columns.map(([column, value]): [string, ExportedValue] =>
      column.endsWith('AtMs')
        ? [column.slice(0, -2), typeof value === 'number' ? new Date(value).toISOString() : null]
        : [column, value],
    ),
  )
}
