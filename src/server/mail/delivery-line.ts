import type { outbox } from '../db/schema.ts'

/** One try to deliver an e-mail, as one line of JSON in the log. Holds no address and no text of the mail. */
export type DeliveryLine = {
  level: 'info' | 'error'
  at: string
  /** The outbox row's id. */
  mail: string
  kind: (typeof outbox.$inferSelect)['kind']
  /** 1 for the first try. */
  attempt: number
  outcome: 'sent' | 'retry' | 'failed'
  reason?: string
}
