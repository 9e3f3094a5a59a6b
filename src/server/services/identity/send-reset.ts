import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { href } from '#shared/routes.ts'
import { base64Url, sha256Hex } from '../../crypto.ts'
import { outbox, passwordResets, users } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { deliverInBackground, outboxRow } from '../../mail/outbox.ts'
import { passwordResetMail, RESET_TTL_SECONDS } from '../../mail/password-reset.ts'

/** How many unused links a person may have; further requests are answered alike and send nothing. */
const MAX_OUTSTANDING = 3
const CODE_BYTES = 32

type SendDeps = Pick<Deps, 'db' | 'clock' | 'randomBytes' | 'mailer' | 'log' | 'background'>
type SendInput = { identity: string /** The shop's public origin. */; origin: string }

/**
 * Makes a reset link and its mail for whoever has the address. The two statements are the same, and so is the answer,
 * whether or not somebody has: the rows come from a select that then finds nothing.
 */
export async function sendReset({ identity, origin }: SendInput, deps: SendDeps): Promise<void> {
  const { db } = deps
  const oobCode = base64Url(deps.randomBytes(CODE_BYTES))
  const codeHash = await sha256Hex(oobCode)
  const createdAtMs = deps.clock()
  const reset = {
    codeHash,
    userId: sql`${users.id}`,
    createdAtMs,
    expiresAtMs: createdAtMs + RESET_TTL_SECONDS * 1000,
  }
  const link = origin + href('resetPassword', {}, { oobCode })
  const mail = outboxRow(passwordResetMail({ codeHash, email: identity, link }), deps)

  const outstanding = sql`select count(*) from ${passwordResets} where ${passwordResets.userId} = ${users.id}
    and ${passwordResets.usedAtMs} is null and ${passwordResets.expiresAtMs} > ${createdAtMs}`
  await db.batch([
    db.insert(passwordResets).select(
      sql`select ${inOrder(passwordResets, reset)} from ${users}
          where ${users.email} = ${identity} and (${outstanding}) < ${MAX_OUTSTANDING}`,
    ),
    db
      .insert(outbox)
      .select(
        sql`select ${inOrder(outbox, mail)} from ${passwordResets} where ${passwordResets.codeHash} = ${codeHash}`,
      ),
  ])
  deliverInBackground(deps)
}

/** A row's values in the order of its table's columns, as an insert from a select needs them. */
function inOrder(table: SQLiteTable, row: Record<string, unknown>): SQL {
  const values = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${row[name] ?? column.default ?? null}`,
  )
  return sql.join(values, sql`, `)
}
