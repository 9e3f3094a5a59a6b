import type { outbox } from '#server/platform/db/schema.ts'
import { listPreviousStatuses, type OrderStatus } from '#shared/orders/order-status.ts'
import { getStatusEmailKind, type OrderEvent } from './status-emails.ts'

/** How long a status change can be undone. Its email waits as long. */
export const STATUS_EMAIL_DELAY_MS = 60_000

export type UndoWindow = { isOpen: boolean; untilMs: number }

type LastChange = {
  status: OrderStatus
  events: readonly OrderEvent[]
  emails: readonly Pick<typeof outbox.$inferSelect, 'kind' | 'attempts' | 'nextAttemptAtMs'>[]
}

/** Lists the statuses that undoing can lead to: the earlier ones of the order or, if none is recorded, all possible ones. */
export function listUndoStatuses(status: OrderStatus, events: readonly OrderEvent[]): readonly OrderStatus[] {
  const previous = listPreviousStatuses(status)
  const reached = previous.filter((step) => events.some((event) => event.status === step))
  return reached.length > 0 ? reached : previous
}

export function getUndoWindow({ status, events, emails }: LastChange, nowMs: number): UndoWindow {
  const reachedAtMs = events.find((event) => event.status === status)?.atMs ?? 0
  const email = emails.find(({ kind }) => kind === getStatusEmailKind(status))
  if (email && email.attempts > 0) return { isOpen: false, untilMs: reachedAtMs + STATUS_EMAIL_DELAY_MS }
  const untilMs = email?.nextAttemptAtMs ?? reachedAtMs + STATUS_EMAIL_DELAY_MS
  return { isOpen: nowMs < untilMs, untilMs }
}
