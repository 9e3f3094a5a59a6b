import { eq } from 'drizzle-orm'
import { newId } from '../../crypto.ts'
import { orderNotes, orders } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Result, ServiceError } from '../../result.ts'
import { auditStatement } from '../audit.ts'

const NOTE_MAX_CHARACTERS = 1000

/** Adds an internal note to an order; shoppers never see it. */
export async function addOrderNote(
  { number, text, author }: { number: string; text: string; author: string },
  deps: Pick<Deps, 'db' | 'clock' | 'randomBytes'>,
): Promise<Result<{ number: string }, ServiceError<'not_found' | 'invalid_fields'>>> {
  const note = text.trim()
  if (note === '' || note.length > NOTE_MAX_CHARACTERS)
    return {
      ok: false,
      error: { code: 'invalid_fields', message: `A note has 1 to ${NOTE_MAX_CHARACTERS} characters.` },
    }
  const { db } = deps
  const order = await db
    .select({ id: orders.id, number: orders.number })
    .from(orders)
    .where(eq(orders.number, number.trim().toUpperCase()))
    .get()
  if (!order) return { ok: false, error: { code: 'not_found' } }
  await db.batch([
    db
      .insert(orderNotes)
      .values({ id: newId(deps), orderId: order.id, author, text: note, atMs: deps.clock() }),
    auditStatement({ actor: author, act: 'order.note', subject: order.number, to: note.slice(0, 80) }, deps),
  ])
  return { ok: true, data: { number: order.number } }
}
