import { type SQL, sql } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import { getDatabaseMessage } from './client.ts'

/** The keys are what SQLite reports: the name of the CHECK, or the columns that must be unique. */
const CONSTRAINT_GUARDS = {
  'orders.number': 'orderNumberTaken',
  'payments.order_id, payments.attempt': 'attemptNumberTaken',
  'payments.provider, payments.reference': 'referenceAlreadyUsed',
  'payments.receipt': 'receiptAlreadyUsed',
  'promotions.code': 'promotionCodeTaken',
  promotions_within_limit: 'promotionExhausted',
  stock_within_on_hand: 'outOfStock',
  'catalogue_versions.number': 'catalogueVersionTaken',
  'users.email': 'emailTaken',
} as const

const BATCH_GUARDS = [
  'accountChanged',
  'cashOrderOpen',
  'blockChanged',
  'draftChanged',
  'incomingChanged',
  'itemsReturned',
  'orderChanged',
  'orderNotInserted',
  'orderOutdated',
  'paymentIncomplete',
  'paymentRecorded',
  'promotionUsed',
  'paymentSettled',
  'promptLimitReached',
  'refundChanged',
  'refundExceedsPayment',
  'refundOnStatement',
  'statusEmailSent',
  'stockCountChanged',
  'unitsUnavailable',
] as const

type BatchGuard = (typeof BATCH_GUARDS)[number]
type ConstraintGuard = (typeof CONSTRAINT_GUARDS)[keyof typeof CONSTRAINT_GUARDS]

export type GuardViolation = { guard: BatchGuard | ConstraintGuard }

/** A view whose trigger aborts every insert with the name of the guard (migration 0019). */
const guardViolations = sqliteTable('guard_violations', { guard: text('guard').notNull() })

export function failUnless(condition: SQL, guard: BatchGuard, { db }: DataContext) {
  return db.insert(guardViolations).select(sql`select ${guard} where (${condition}) is not true`)
}

export function getGuardViolation(error: unknown): GuardViolation | undefined {
  const message = getDatabaseMessage(error)
  const [, raised] = /guard violated: (\w+)/.exec(message) ?? []
  const batchGuard = BATCH_GUARDS.find((guard) => guard === raised)
  if (batchGuard) return { guard: batchGuard }
  const [, violated] = /(?:UNIQUE|CHECK) constraint failed: (.+?)(?:: SQLITE_|$)/.exec(message) ?? []
  const constraint = Object.entries(CONSTRAINT_GUARDS).find(([name]) => name === violated)
  return constraint && { guard: constraint[1] }
}
