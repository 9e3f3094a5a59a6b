import type { Config } from '#server/env.ts'
import { type EmailBlock, renderEmail, withoutLinks } from '#server/platform/email/layout.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { RETURN_KIND_LABELS, RETURN_REASON_LABELS } from '#shared/orders/returns.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import {
  createContactBlock,
  createOfficeLinkBlocks,
  createOrderRowsBlock,
  formatBuyerName,
  getShopperEmailFields,
  VIEW_ORDER_BUTTON,
} from './confirmation-emails.ts'
import { formatDeliveryInstruction } from './exchange-delivery.ts'
import type { OrderRecord, OrderRow } from './order-record.ts'
import type { OrderReturn, OrderWithReturns } from './order-returns.ts'
import {
  formatHandover,
  formatItemsReceived,
  formatNextStep,
  formatReplacementName,
  formatReturnInstruction,
  listParcelSentences,
  listRequestSteps,
  type ParcelTerms,
} from './return-steps.ts'

function createReturnEmail(
  order: OrderRow,
  subject: string,
  heading: string,
  blocks: readonly EmailBlock[],
): Email {
  return {
    kind: 'order-return',
    ...getShopperEmailFields(order),
    subject,
    ...renderEmail(heading, [...blocks, VIEW_ORDER_BUTTON, createContactBlock(order)]),
  }
}

function createItemRowsBlock({ lines }: OrderReturn): EmailBlock {
  return {
    kind: 'rows',
    rows: lines.map((line) => {
      const replacement = formatReplacementName(line)
      return {
        label: `${formatNameWithSize(line.title, line.size)} × ${line.qty}`,
        value: replacement ? `exchange for ${replacement}` : '',
      }
    }),
  }
}

function createMessageBlocks({ note }: OrderReturn): EmailBlock[] {
  return note ? [{ kind: 'quote', text: note.split('\n').map(withoutLinks).join('\n') }] : []
}

const createParagraphBlock = (text: string): EmailBlock => ({ kind: 'paragraph', text })
const getReplacementNoun = ({ lines }: OrderReturn) => (lines.length === 1 ? 'replacement' : 'replacements')
const getReturnName = ({ kind }: OrderReturn) => RETURN_KIND_LABELS[kind].toLowerCase()

const PHOTO_HINT = 'A photo helps us answer sooner. You can send it in a reply to this email.'

export function createReturnRequestedEmail(
  context: OrderWithReturns,
  orderReturn: OrderReturn,
  { address, costs }: Pick<ParcelTerms, 'address' | 'costs'>,
): Email {
  const order = context.record.row
  const name = getReturnName(orderReturn)
  return createReturnEmail(
    order,
    `We’ve received your ${name} request for order ${order.number}`,
    'We’ve received your request',
    [
      createParagraphBlock(
        `You’ve requested ${name === 'exchange' ? 'an exchange' : 'a return'} for order ${order.number}:`,
      ),
      createItemRowsBlock(orderReturn),
      ...createMessageBlocks(orderReturn),
      ...listRequestSteps(context, orderReturn, { address }).map(createParagraphBlock),
      ...(costs ? [createParagraphBlock(costs)] : []),
      ...(['faulty', 'different'].includes(orderReturn.reason) ? [createParagraphBlock(PHOTO_HINT)] : []),
    ],
  )
}

export function createReturnApprovedEmail(
  context: OrderWithReturns,
  orderReturn: OrderReturn,
  { costs, ...place }: ParcelTerms,
): Email {
  const order = context.record.row
  const name = getReturnName(orderReturn)
  return createReturnEmail(
    order,
    `Your ${name} for order ${order.number} is approved`,
    `We’ve approved your ${name}`,
    [
      createParagraphBlock(formatReturnInstruction(context, orderReturn)),
      ...(place.address
        ? []
        : [createParagraphBlock('Reply to this email to arrange where to bring or send your items.')]),
      ...[...listParcelSentences(order, place), ...(costs ? [costs] : [])].map(createParagraphBlock),
    ],
  )
}

export function createReturnDeclinedEmail(order: OrderRow, orderReturn: OrderReturn, message: string): Email {
  const name = getReturnName(orderReturn)
  return createReturnEmail(
    order,
    `Your ${name} request for order ${order.number}`,
    `About your ${name} request`,
    [
      createParagraphBlock(
        `We’re sorry, but we can’t accept your ${name} request for order ${order.number}:`,
      ),
      { kind: 'quote', text: message },
    ],
  )
}

export function createReturnReceivedEmail(context: OrderWithReturns, orderReturn: OrderReturn): Email {
  const order = context.record.row
  return createReturnEmail(
    order,
    `We’ve received your items for order ${order.number}`,
    'We’ve received your items',
    [createItemRowsBlock(orderReturn), createParagraphBlock(formatItemsReceived(context, orderReturn))],
  )
}

export function createExchangeCompletedEmail(order: OrderRow, orderReturn: OrderReturn): Email {
  return createReturnEmail(
    order,
    `Your exchange for order ${order.number} is complete`,
    'Your exchange is complete',
    [createParagraphBlock(`${formatHandover(orderReturn)} Asante!`), createItemRowsBlock(orderReturn)],
  )
}

export function createExchangeReceivedEmail(
  { row, lines }: Pick<OrderRecord, 'row' | 'lines'>,
  orderReturn: OrderReturn,
  { dueCents, refundCents }: { dueCents: number; refundCents: number },
): Email {
  const isDue = dueCents > 0
  const difference = isDue
    ? `Your exchange costs ${formatMoney(dueCents)} more. Please open your order to pay the difference.`
    : refundCents > 0
      ? `Your exchange costs less, so we’ve started a refund of ${formatMoney(refundCents)}. We’ll email you when it’s complete.`
      : ''
  const next = `${isDue ? 'Once you’ve paid it' : 'Next'}, ${formatNextStep(orderReturn)}`
  return createReturnEmail(
    row,
    `We’ve received your items for order ${row.number}`,
    'We’ve received your items',
    [
      createItemRowsBlock(orderReturn),
      createParagraphBlock('Here’s your updated order:'),
      createOrderRowsBlock(row, lines),
      createParagraphBlock(`${difference} ${next}`.trim()),
    ],
  )
}

export function createReturnExpiredEmail(order: OrderRow, orderReturn: OrderReturn): Email {
  return createReturnEmail(
    order,
    `Your exchange for order ${order.number} has expired`,
    'Your exchange has expired',
    [
      createParagraphBlock(
        `We’ve cancelled your exchange and released the ${getReplacementNoun(orderReturn)}, because we didn’t receive these items within ${RETURN_DAYS} days:`,
      ),
      createItemRowsBlock(orderReturn),
    ],
  )
}

type OperatorEmailConfig = Pick<Config, 'OPERATOR_EMAIL' | 'OFFICE_ORIGIN'>

export function createOperatorReturnEmail(
  order: OrderRow,
  orderReturn: OrderReturn,
  { OPERATOR_EMAIL, OFFICE_ORIGIN }: OperatorEmailConfig,
): Email {
  const { number } = order
  const label = RETURN_KIND_LABELS[orderReturn.kind]
  const delivery = formatDeliveryInstruction(orderReturn)
  return {
    ...getOperatorEmailFields(order, OPERATOR_EMAIL),
    subject: `${label} requested for order ${number}`,
    ...renderEmail(`${label} requested`, [
      createParagraphBlock(
        `${formatBuyerName(order)} has requested ${orderReturn.kind === 'exchange' ? 'an exchange' : 'a return'} for order ${number}.`,
      ),
      createItemRowsBlock(orderReturn),
      createParagraphBlock(`Reason: ${RETURN_REASON_LABELS[orderReturn.reason]}`),
      ...(delivery ? [createParagraphBlock(delivery)] : []),
      ...createMessageBlocks(orderReturn),
      createParagraphBlock('Approve or decline it on the order’s page in the office.'),
      ...createOfficeLinkBlocks(`${number}/returns`, { OFFICE_ORIGIN }),
    ]),
  }
}

export function createOperatorReturnCancelledEmail(
  order: OrderRow,
  orderReturn: OrderReturn,
  { OPERATOR_EMAIL, OFFICE_ORIGIN }: OperatorEmailConfig,
): Email {
  const { number } = order
  const label = RETURN_KIND_LABELS[orderReturn.kind]
  const name = getReturnName(orderReturn)
  return {
    ...getOperatorEmailFields(order, OPERATOR_EMAIL),
    subject: `${label} for order ${number} cancelled`,
    ...renderEmail(`${label} cancelled`, [
      createParagraphBlock(`${formatBuyerName(order)} has cancelled the ${name} for order ${number}.`),
      createParagraphBlock(
        orderReturn.state === 'requested'
          ? 'You don’t need to answer the request.'
          : `The customer is keeping the items.${name === 'exchange' ? ' The replacement is back in stock.' : ''}`,
      ),
      createItemRowsBlock(orderReturn),
      ...createOfficeLinkBlocks(`${number}/returns`, { OFFICE_ORIGIN }),
    ]),
  }
}

function getOperatorEmailFields({ id, email }: OrderRow, operatorEmail: string) {
  return {
    kind: 'return-notice' as const,
    subjectId: id,
    recipient: operatorEmail,
    ...(email ? { replyTo: email } : {}),
  }
}
