import type { outbox } from '../db/schema.ts'

/** An e-mail before it is sent; it becomes an outbox row first. */
export type Mail = Pick<
  typeof outbox.$inferInsert,
  'kind' | 'subjectId' | 'recipient' | 'subject' | 'text' | 'html'
> & {
  replyTo?: string
}

/** What hands an e-mail to the outside world; rejects when that fails. */
export type Mailer = {
  send(mail: Mail & { messageId: string }): Promise<void>
}
