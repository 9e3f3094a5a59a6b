import type { MessageRequest } from '#shared/contract/contact.ts'
import { CONTACT_TRAP_FIELD } from '#shared/rules/contact-form.ts'
import { sha256Hex } from '../../crypto.ts'
import { contactMessages, outbox } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { contactNotice } from '../../mail/contact-notice.ts'
import { deliverInBackground, outboxRow } from '../../mail/outbox.ts'
import { tooManyRequests } from '../../rate-limit.ts'
import type { Result, ServiceError } from '../../result.ts'

const DAY_MS = 86_400_000
/** 128 bits of the digest, in hexadecimal. */
const ID_CHARACTERS = 32

type SendInput = MessageRequest & { clientAddress: string }
type SendDeps = Pick<
  Deps,
  'config' | 'db' | 'clock' | 'randomBytes' | 'limits' | 'mailer' | 'log' | 'background'
>

/**
 * Stores a message and notifies the shop, in one batch. The id is a digest of message, sender and day, so submitting
 * the same form twice stores it once. One caught by the honeypot field is stored as suspicious, without a notice.
 */
export async function sendContactMessage(
  { name, email, message, [CONTACT_TRAP_FIELD]: trap, clientAddress }: SendInput,
  deps: SendDeps,
): Promise<Result<{ id: string }, ServiceError<'too_many_requests'>>> {
  if (!(await deps.limits.writes(`contact from ${clientAddress}`)))
    return { ok: false, error: tooManyRequests }

  const createdAtMs = deps.clock()
  const day = Math.floor(createdAtMs / DAY_MS)
  const digest = await sha256Hex(JSON.stringify([day, email.toLowerCase(), name, message]))
  const id = digest.slice(0, ID_CHARACTERS)
  const { db } = deps
  const row = { id, name, email, message, createdAtMs, isSuspicious: Boolean(trap) }
  const insert = db.insert(contactMessages).values(row).onConflictDoNothing()
  if (row.isSuspicious) {
    await insert
    return { ok: true, data: { id } }
  }
  const mail = contactNotice({ id, name, email, message }, deps.config.OPERATOR_EMAIL)
  const notice = { ...outboxRow(mail, deps), id: `contact-${id}` }
  await db.batch([insert, db.insert(outbox).values(notice).onConflictDoNothing()])
  deliverInBackground(deps)
  return { ok: true, data: { id } }
}
