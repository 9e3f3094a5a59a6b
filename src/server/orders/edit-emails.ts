import { renderEmail } from '#server/platform/email/layout.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { formatMoney } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import {
  createContactBlock,
  createDeliveryBlocks,
  createOrderRowsBlock,
  describeAmountDue,
  getShopperEmailFields,
  VIEW_ORDER_BUTTON,
} from './confirmation-emails.ts'
import type { OrderRecord } from './order-record.ts'

type EditedOrder = Pick<OrderRecord, 'row' | 'lines'>

type TotalDifference = { dueCents: number; refundCents: number }

export function createOrderEditedEmail(
  { row, lines }: EditedOrder,
  { dueCents, refundCents }: TotalDifference,
): Email {
  const isEarlierRefund = dueCents > 0 && refundCents > 0
  const sentences = [
    ...(isEarlierRefund
      ? [`After an earlier change, we started a refund of ${formatMoney(refundCents)}.`]
      : refundCents > 0
        ? [`You’ve paid ${formatMoney(refundCents)} more than the new total, so we’ve started a refund.`]
        : []),
    ...(dueCents > 0 ? [describeAmountDue(row, dueCents)] : []),
  ]
  return {
    kind: 'order-edited',
    ...getShopperEmailFields(row),
    subject: `Your ${shop.name} order ${row.number} has changed`,
    ...renderEmail('Your order has changed', [
      { kind: 'paragraph', text: `We’ve changed your order ${row.number}. Here’s your updated order:` },
      createOrderRowsBlock(row, lines),
      ...sentences.map((text) => ({ kind: 'paragraph', text }) as const),
      ...createDeliveryBlocks(row),
      VIEW_ORDER_BUTTON,
      createContactBlock(row),
    ]),
  }
}
