import { and, count, eq, gt, inArray, isNotNull, isNull, or } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import {
  contactMessages,
  orderCounts,
  outbox,
  payments,
  refunds,
  salesDays,
} from '#server/platform/db/schema.ts'
import type { EmailBlock } from '#server/platform/email/layout.ts'
import { formatMoney } from '#shared/format.ts'
import { parseShopDay } from '#shared/time.ts'

export async function readDailySummary({ db, clock }: DataContext): Promise<EmailBlock[]> {
  const yesterday = parseShopDay('yesterday', clock())?.name ?? ''
  const byOpenRefund = or(
    eq(refunds.state, 'by_hand'),
    and(inArray(refunds.state, ['due', 'requested']), isNotNull(refunds.error)),
  )
  const byStuckEmail = or(
    eq(outbox.status, 'failed'),
    and(eq(outbox.status, 'pending'), gt(outbox.attempts, 1)),
  )
  const [orders, [day], [openRefunds], [emails], [unknown], [messages]] = await db.batch([
    db.select().from(orderCounts),
    db.select().from(salesDays).where(eq(salesDays.day, yesterday)),
    db.select({ n: count() }).from(refunds).where(byOpenRefund),
    db.select({ n: count() }).from(outbox).where(byStuckEmail),
    db.select({ n: count() }).from(payments).where(eq(payments.state, 'unknown')),
    db
      .select({ n: count() })
      .from(contactMessages)
      .where(and(isNull(contactMessages.readAtMs), eq(contactMessages.isSuspicious, false))),
  ])
  const inStatus = (status: string) => String(orders.find((row) => row.status === status)?.orders ?? 0)
  const formatOrZero = (cents = 0) => formatMoney(cents)
  return [
    { kind: 'paragraph', text: 'To do:' },
    {
      kind: 'rows',
      rows: [
        { label: 'Orders to pack', value: inStatus('placed'), isStrong: true },
        { label: 'Orders to send', value: inStatus('packed') },
      ],
    },
    { kind: 'paragraph', text: 'Yesterday:' },
    {
      kind: 'rows',
      rows: [
        { label: 'Orders', value: String(day?.orders ?? 0) },
        { label: 'Sales', value: formatOrZero(day?.totalCents), isStrong: true },
        { label: 'Refunds', value: formatOrZero(day?.refundedCents) },
      ],
    },
    { kind: 'paragraph', text: 'Needs attention:' },
    {
      kind: 'rows',
      rows: [
        { label: 'Refunds to make manually or retry', value: String(openRefunds?.n ?? 0) },
        { label: 'Payments with no response', value: String(unknown?.n ?? 0) },
        { label: 'Stuck emails', value: String(emails?.n ?? 0) },
        { label: 'Unread messages', value: String(messages?.n ?? 0) },
      ],
    },
  ]
}
