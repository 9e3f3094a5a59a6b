import { formatItemName } from '#office/catalogue/item-name.ts'
import { AUDIT_ACTIONS, type AuditAction } from '#server/platform/db/audit.ts'
import type { AuditRow } from '#server/platform/db/list-audit.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { ORDER_STATUS_LABELS, type OrderStatus } from '#shared/orders/order-status.ts'
import { getProviderDescriptor, PROVIDER_NAMES } from '#shared/payments/providers.ts'
import { shop } from '#shared/shop.ts'
import { ROLE_LABELS, type Role } from '#shared/team/roles.ts'

type AuditText = {
  label: string
  /** What the action changed, such as an order number. Empty if the entry names nothing that a person can read. */
  subject: string
  detail: string
}

export function describeAuditEntry(
  { action, subject, from, to }: AuditRow,
  catalogue: Catalogue = [],
): AuditText {
  const label = AUDIT_ACTIONS[action as AuditAction] ?? action
  const change = [from, to].filter((value) => value !== null).join('\u00a0→ ')
  switch (action as AuditAction) {
    case 'order.status':
    case 'order.cancel':
    case 'order.release':
      return { label, subject, detail: [from, to].map(getStatusLabel).filter(Boolean).join('\u00a0→ ') }
    case 'order.refund':
      return { label: from === 'kept' ? label : 'Refund retried', subject, detail: to ?? '' }
    case 'order.refunded':
    case 'order.edit':
      return { label, subject, detail: to ?? '' }
    case 'return.create':
    case 'return.approve':
    case 'return.decline':
    case 'return.receive':
    case 'return.complete':
    case 'return.cancel': {
      const [, kind = 'Return', items = to ?? ''] = /^(Return|Exchange): (.*)$/s.exec(to ?? '') ?? []
      return { label: label.replace('Return', kind), subject, detail: items }
    }
    case 'return.convert':
      return { label, subject, detail: to?.replace(/^Exchange: /, '') ?? '' }
    case 'order.paid':
      return { label, subject, detail: to?.startsWith(shop.currency) ? to : `receipt ${to}` }
    case 'order.note':
      return { label, subject, detail: `“${to}”` }
    case 'promotion.create':
      return { label, subject, detail: `${to} off` }
    case 'stock.count':
      return {
        label,
        subject: formatItemName(Number(subject), catalogue),
        detail: change,
      }
    case 'message.read':
    case 'message.answered':
    case 'mail.resend':
    case 'account.erase':
    case 'customer.note':
    case 'customer.block':
    case 'customer.unblock':
      return { label, subject: '', detail: '' }
    case 'catalogue.save':
      return to?.startsWith('new, ')
        ? { label: 'Product added', subject: getProductTitle(subject), detail: to.slice('new, '.length) }
        : {
            label,
            subject: getProductTitle(subject),
            detail: change,
          }
    case 'catalogue.bulk':
    case 'catalogue.categories':
    case 'seller.save':
      return { label, subject: '', detail: to ?? '' }
    case 'statement.upload':
    case 'day.close':
    case 'incoming.register':
      return { label, subject: getProviderName(subject), detail: to ?? '' }
    case 'team.add':
      return from
        ? { label: 'Role changed', subject, detail: `${getRoleLabel(from)} → ${getRoleLabel(to)}` }
        : { label, subject, detail: getRoleLabel(to) }
    case 'content.save':
    case 'content.restore':
      return { label, subject, detail: '' }
    case 'catalogue.hide':
    case 'catalogue.show':
    case 'catalogue.delete':
      return { label, subject: getProductTitle(subject), detail: '' }
    case 'catalogue.move':
      return { label, subject: getProductTitle(subject), detail: to === 'first' ? 'to the top' : (to ?? '') }
    case 'catalogue.import':
      return to?.startsWith('version ')
        ? { label: 'Draft changes discarded', subject: '', detail: '' }
        : { label, subject: '', detail: `with a file of ${to}` }
    default:
      return { label, subject, detail: change }
  }
}

function getRoleLabel(value: string | null): string {
  return ROLE_LABELS[value as Role] ?? value ?? ''
}

function getProductTitle(subject: string): string {
  return subject.replace(/^\d+ /, '') || 'Untitled product'
}

function getProviderName(subject: string): string {
  const provider = PROVIDER_NAMES.find((name) => name === subject)
  return provider ? getProviderDescriptor(provider).name : subject
}

function getStatusLabel(value: string | null): string {
  return ORDER_STATUS_LABELS[value as OrderStatus] ?? value ?? ''
}
