import { desc, eq, lt } from 'drizzle-orm'
import { contactMessages } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Result, ServiceError } from '../../result.ts'
import { auditStatement } from '../audit/record.ts'

export type MessageRow = typeof contactMessages.$inferSelect

/** How many messages a page shows. */
export const MESSAGE_ROWS = 20

/** What shoppers wrote, the latest first; `beforeMs` is when the last one of the page before was written. */
export function listMessages(
  { limit = MESSAGE_ROWS, beforeMs }: { limit?: number; beforeMs?: number | undefined },
  { db }: Pick<Deps, 'db'>,
): Promise<MessageRow[]> {
  return db
    .select()
    .from(contactMessages)
    .where(beforeMs === undefined ? undefined : lt(contactMessages.createdAtMs, beforeMs))
    .orderBy(desc(contactMessages.createdAtMs))
    .limit(limit)
}

/** Notes that a message was read, or answered, which reads it too; the first time counts. */
export async function markMessage(
  { id, as, actor }: { id: string; as: 'read' | 'answered'; actor: string },
  deps: Pick<Deps, 'db' | 'clock' | 'randomBytes'>,
): Promise<Result<MessageRow, ServiceError<'not_found'>>> {
  const { db, clock } = deps
  const isIt = eq(contactMessages.id, id)
  const message = await db.select().from(contactMessages).where(isIt).get()
  if (!message) return { ok: false, error: { code: 'not_found' } }
  const nowMs = clock()
  const marked = {
    readAtMs: message.readAtMs ?? nowMs,
    answeredAtMs: as === 'answered' ? (message.answeredAtMs ?? nowMs) : message.answeredAtMs,
  }
  await db.batch([
    db.update(contactMessages).set(marked).where(isIt),
    auditStatement({ actor, act: `message.${as}`, subject: id, to: message.email }, deps),
  ])
  return { ok: true, data: { ...message, ...marked } }
}
