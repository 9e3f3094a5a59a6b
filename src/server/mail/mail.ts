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
  /** `messageId` is the same at every try, so that a mail that arrives twice can be told. */
  send(mail: Mail & { messageId: string }): Promise<void>
}

const HEADER_CHARACTERS = 200
const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
/** They could make a name read backwards. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text made safe to stand in a header: one line without control or direction characters, at most 200 long. */
export function headerText(text: string): string {
  const line = text.toWellFormed().replace(DIRECTION_MARKS, '').replace(LINE_BREAKS_AND_CONTROLS, ' ').trim()
  return Array.from(line).slice(0, HEADER_CHARACTERS).join('')
}
