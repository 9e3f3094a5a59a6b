import { describe, expect, it } from 'vitest'
import type { AuditRow } from '#server/platform/db/list-audit.ts'
import { describeAuditEntry } from './describe-audit.ts'

const describeEntry = (entry: Pick<AuditRow, 'action' | 'subject' | 'from' | 'to'>) => {
  const { label, subject, detail } = describeAuditEntry({
    ...entry,
    id: 'entry',
    actor: 'achieng@pamba.test',
    atMs: 0,
  })
  return [label, subject, detail].filter(Boolean).join(' | ')
}

describe('an audit entry', () => {
  it.each([
    ['order.status', 'P-1', 'placed', 'packed', 'Status changed | P-1 | Placed\u00a0→ Packed'],
    ['order.paid', 'P-1', 'awaiting_payment', 'CASH-1', 'Payment recorded | P-1 | receipt CASH-1'],
    ['order.paid', 'P-1', 'placed', 'KSH 300, Cash', 'Payment recorded | P-1 | KSH 300, Cash'],
    ['order.refund', 'P-1', 'kept', 'KSH 10,092', 'Refund started | P-1 | KSH 10,092'],
    ['order.refund', 'P-1', 'due', 'KSH 10,092', 'Refund retried | P-1 | KSH 10,092'],
    ['promotion.create', 'JAMHURI', null, '15%', 'Promo code created | JAMHURI | 15% off'],
    ['stock.count', '7', '2', 'made to order', 'Stock counted | Item 7 | 2\u00a0→ made to order'],
    ['message.read', '018f-2c', null, null, 'Message marked as read'],
    ['catalogue.save', '7 Wooden cow', null, 'new, KSH 100', 'Product added | Wooden cow | KSH 100'],
    [
      'catalogue.save',
      '7 Cow',
      'KSH 1,000',
      'KSH 1,200, name',
      'Product saved | Cow | KSH 1,000\u00a0→ KSH 1,200, name',
    ],
    ['catalogue.move', '7 Cow', null, 'first', 'Product moved | Cow | to the top'],
    ['catalogue.import', 'draft', null, '64 products', 'Draft replaced | with a file of 64 products'],
    ['catalogue.import', 'draft', null, 'version 2', 'Draft changes discarded'],
    ['catalogue.bulk', 'draft', null, '2 products: price +5%', 'Products changed | 2 products: price +5%'],
    ['seller.save', 'invoices', null, 'Pamba Ltd', 'Invoice details saved | Pamba Ltd'],
    ['day.close', 'mpesa', null, '2026-11-21', 'Day closed | M-Pesa | 2026-11-21'],
    ['team.add', 'amina@pamba.test', null, 'packer', 'Team member added | amina@pamba.test | Packer'],
    ['team.add', 'amina@pamba.test', 'packer', 'owner', 'Role changed | amina@pamba.test | Packer → Owner'],
    ['retired.act', 'thing', 'a', 'b', 'retired.act | thing | a\u00a0→ b'],
  ])('is described by its action, subject and change: %s of %s', (action, subject, from, to, text) => {
    expect(describeEntry({ action, subject, from, to })).toBe(text)
  })
})
