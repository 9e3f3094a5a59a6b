import type { MessageRequest } from '#shared/contract/contact.ts'
import { contactMessages, outbox } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { newId, sha256Hex } from '../../ids.ts'
import { contactNotice } from '../../mail/contact-notice.ts'
import { deliverInBackground, outboxRow } from '../../mail/outbox.ts'

const DAY_MS = 86_400_000
/** Of the digest, in hexadecimal: 128 bits. */
const ID_CHARACTERS = 32

type SendDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'randomBytes' | 'mailer' | 'log' | 'background'>

/**
 * Stores a message and notifies the shop, in one batch. Its id is made from its words, sender and day, so that a
 * second submit of the same form changes nothing. What a program wrote is answered alike and dropped.
 */
export async function sendContactMessage(input: MessageRequest, deps: SendDeps): Promise<{ id: string }> {
  const { name, email, message, website } = input
  if (website) return { id: newId(deps) }

  const createdAtMs = deps.clock()
  const day = Math.floor(createdAtMs / DAY_MS)
  const digest = await sha256Hex(JSON.stringify([day, email.toLowerCase(), name, message]))
  const id = digest.slice(0, ID_CHARACTERS)
  const { db } = deps
  const mail = contactNotice({ id, name, email, message }, deps.config.OPERATOR_EMAIL)
  const notice = { ...outboxRow(mail, deps), id: `contact-${id}` }
  await db.batch([
    db.insert(contactMessages).values({ id, name, email, message, createdAtMs }).onConflictDoNothing(),
    db.insert(outbox).values(notice).onConflictDoNothing(),
  ])
  deliverInBackground(deps)
  return { id }
}
