import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { ACTIVITY_KINDS } from '#shared/accounts/account-forms.ts'
import { ORDER_STATUSES } from '#shared/orders/order-status.ts'
import { RETURN_KINDS, RETURN_REASONS, RETURN_STATES } from '#shared/orders/returns.ts'
import { PAYMENT_PROBLEMS } from '#shared/payments/payment.ts'
import { MANUAL_PAYMENT_TYPES, PROVIDER_NAMES } from '#shared/payments/providers.ts'
import { REFUND_REASONS, REFUND_STATES } from '#shared/payments/refunds.ts'
import { ALERT_KIND_NAMES } from '#shared/team/alerts.ts'
import { ROLES } from '#shared/team/roles.ts'

/** Makes `0712 345 678` and `712-345678` equal. */
export function toPhoneDigits(phone: SQLWrapper): SQL<string> {
  const digits = [' ', '-', '(', ')', '+'].reduce<SQLWrapper>(
    (text, character) => sql`replace(${text}, ${sql.raw(`'${character}'`)}, '')`,
    phone,
  )
  return sql`ltrim(${digits}, '0')`
}

// Times are milliseconds since the epoch, and amounts are integer cents (1 KSH = 100). No table uses ON DELETE
// CASCADE, because migrations that rebuild a table would trigger it.

export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    /**
     * Trimmed and in lower case. Accounts without an email address have another unique text, such as `phone
     * 712345678`.
     */
    email: text('email').notNull().unique(),
    name: text('name').notNull(),
    passwordHash: text('password_hash').notNull(),
    firstName: text('first_name'),
    lastName: text('last_name'),
    address: text('address'),
    address2: text('address2'),
    country: text('country'),
    state: text('state'),
    zip: text('zip'),
    phone: text('phone'),
    /** The number that the shopper last used for an M-Pesa prompt, as 254XXXXXXXXX. */
    mpesaPhone: text('mpesa_phone'),
    landmark: text('landmark'),
    createdAtMs: integer('created_at_ms').notNull(),
    emailVerifiedAtMs: integer('email_verified_at_ms'),
    /** The time of the latest order. A trigger on orders maintains it. */
    lastOrderAtMs: integer('last_order_at_ms'),
  },
  (table) => [
    index('users_created').on(table.createdAtMs),
    index('users_last_order').on(table.lastOrderAtMs, table.id).where(sql`last_order_at_ms is not null`),
    index('users_name').on(sql`lower(name)`),
    index('users_phone_digits').on(toPhoneDigits(table.phone)),
  ],
)

export const customerNotes = sqliteTable(
  'customer_notes',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    author: text('author').notNull(),
    text: text('text').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('customer_notes_user').on(table.userId, table.atMs)],
)

export const customerBlocks = sqliteTable(
  'customer_blocks',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    email: text('email').notNull(),
    /** In the format that `toPhoneKey` returns. */
    phone: text('phone'),
    reason: text('reason'),
    actor: text('actor').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    index('customer_blocks_user').on(table.userId),
    index('customer_blocks_email').on(table.email),
    index('customer_blocks_phone').on(table.phone).where(sql`phone is not null`),
  ],
)

/** Has at most one row, inserted when a blocked account is first deleted. */
export const blockHashKeys = sqliteTable(
  'block_hash_keys',
  {
    id: integer('id').primaryKey().$type<1>(),
    key: text('key').notNull(),
  },
  () => [check('block_hash_keys_single', sql`id = 1`)],
)

export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    cookieHash: text('cookie_hash').notNull().unique(),
    tokenHash: text('token_hash').notNull().unique(),
    createdAtMs: integer('created_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    browser: text('browser'),
    country: text('country'),
    /** Updated at most once a day. */
    lastSeenAtMs: integer('last_seen_at_ms').notNull().default(0),
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_expiry').on(table.expiresAtMs)],
)

export const passwordResets = sqliteTable(
  'password_resets',
  {
    codeHash: text('code_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    createdAtMs: integer('created_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
  },
  (table) => [
    index('password_resets_user').on(table.userId),
    index('password_resets_expiry').on(table.expiresAtMs),
  ],
)

export const accountEvents = sqliteTable(
  'account_events',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    kind: text('kind', { enum: ACTIVITY_KINDS }).notNull(),
    atMs: integer('at_ms').notNull(),
    browser: text('browser'),
    country: text('country'),
  },
  (table) => [
    index('account_events_user').on(table.userId, table.atMs),
    index('account_events_at').on(table.atMs),
  ],
)

/** Counts failed logins and requests for emailed links over longer times than the rate limits cover. */
export const attemptCounts = sqliteTable(
  'attempt_counts',
  {
    key: text('key').primaryKey(),
    attempts: integer('attempts').notNull(),
    lastAtMs: integer('last_at_ms').notNull(),
  },
  (table) => [index('attempt_counts_last').on(table.lastAtMs)],
)

export const contactMessages = sqliteTable(
  'contact_messages',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    message: text('message').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    isSuspicious: integer('is_suspicious', { mode: 'boolean' }).notNull().default(false),
    readAtMs: integer('read_at_ms'),
    answeredAtMs: integer('answered_at_ms'),
  },
  (table) => [
    index('contact_messages_created').on(table.createdAtMs),
    index('contact_messages_email').on(sql`lower(email)`),
    index('contact_messages_unread').on(table.createdAtMs).where(sql`read_at_ms is null`),
  ],
)

export const promotions = sqliteTable(
  'promotions',
  {
    code: text('code').primaryKey(),
    kind: text('kind', { enum: ['percent', 'fixed'] }).notNull(),
    /** A whole percentage for `percent`, cents for `fixed`. */
    value: integer('value').notNull(),
    minimumSubtotalCents: integer('minimum_subtotal_cents').notNull().default(0),
    startsAtMs: integer('starts_at_ms'),
    endsAtMs: integer('ends_at_ms'),
    maxUses: integer('max_uses'),
    uses: integer('uses').notNull().default(0),
    oncePerAccount: integer('once_per_account', { mode: 'boolean' }).notNull().default(false),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  () => [check('promotions_within_limit', sql`max_uses is null or uses <= max_uses`)],
)

export const orders = sqliteTable(
  'orders',
  {
    id: text('id').primaryKey(),
    number: text('number').notNull().unique(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    idempotencyKey: text('idempotency_key').notNull(),
    /** The SHA-256 (hex) of the request. It distinguishes a retry from another order with the same idempotency key. */
    requestHash: text('request_hash').notNull(),
    /** The fulfilment status. `payments` has the payment status. */
    status: text('status', { enum: ORDER_STATUSES }).notNull(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    email: text('email').notNull(),
    address: text('address').notNull(),
    address2: text('address2'),
    country: text('country').notNull(),
    state: text('state').notNull(),
    zip: text('zip').notNull(),
    subtotalCents: integer('subtotal_cents').notNull(),
    discountCents: integer('discount_cents').notNull(),
    shippingCents: integer('shipping_cents').notNull(),
    vatCents: integer('vat_cents').notNull(),
    vatPercent: integer('vat_percent').notNull().default(16),
    totalCents: integer('total_cents').notNull(),
    promoCode: text('promo_code').references(() => promotions.code),
    phone: text('phone'),
    landmark: text('landmark'),
    giftNote: text('gift_note'),
    kraPin: text('kra_pin'),
    /** Null for pickup and for addresses outside the delivery zones. */
    deliveryZone: text('delivery_zone'),
    pickup: text('pickup'),
    isCashOnDelivery: integer('cash_on_delivery', { mode: 'boolean' }).notNull().default(false),
    confirmationEmail: text('confirmation_email'),
    /** Whether the order counts as a use of its promo code. */
    hasPromotionUse: integer('holds_promotion', { mode: 'boolean' }).notNull().default(true),
    expiresAtMs: integer('expires_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    /** The sum of settled payments. Triggers maintain it. */
    paidCents: integer('paid_cents').notNull().default(0),
    /** The sum of refunds in any state. Triggers maintain it. */
    refundCents: integer('refund_cents').notNull().default(0),
    /** The sum of its returns' `creditedCents`. Triggers maintain it. */
    creditedCents: integer('credited_cents').notNull().default(0),
    /** The sum of refunds in any state that reduce what the order costs (`isCreditReason`). Triggers maintain it. */
    creditRefundCents: integer('credit_refund_cents').notNull().default(0),
    /** When the first payment arrived whose cash wasn't reversed (`not_collected`). Triggers maintain it. */
    firstPaidAtMs: integer('first_paid_at_ms'),
    /**
     * Whether refunds in any state cover everything paid and, for cash on delivery, refunds and credits cover the whole
     * total. A new payment resets it, as does undoing a cash-on-delivery order's delivery.
     */
    isRefunded: integer('is_refunded', { mode: 'boolean' }).notNull().default(false),
    /** Edits of the order and changes to its returns increment it, for optimistic locking. */
    revision: integer('revision').notNull().default(0),
    // An earlier version wrote `paymentProvider` to `cardLastFour`, which are in `payments` now. A migration can drop
    // them once that version is no longer deployed.
    paymentProvider: text('payment_provider').notNull().default(''),
    paymentReference: text('payment_reference').notNull().default(''),
    cardBrand: text('card_brand'),
    cardLastFour: text('card_last_four'),
  },
  (table) => [
    uniqueIndex('orders_user_key').on(table.userId, table.idempotencyKey),
    index('orders_user_created').on(table.userId, table.createdAtMs),
    index('orders_created').on(table.createdAtMs),
    // The four partial indexes below start with the constant status, because SQLite would otherwise prefer
    // `orders_status` to them.
    index('orders_expiring').on(table.status, table.expiresAtMs).where(sql`status = 'awaiting_payment'`),
    index('orders_part_paid')
      .on(table.status, table.createdAtMs)
      .where(sql`status = 'awaiting_payment' and paid_cents > refund_cents`),
    index('orders_delivered_due')
      .on(table.status, table.createdAtMs, table.number)
      .where(
        sql`status = 'delivered' and max(total_cents - credited_cents - credit_refund_cents, 0) > paid_cents - refund_cents`,
      ),
    index('orders_awaiting').on(table.status, table.userId).where(sql`status = 'awaiting_payment'`),
    index('orders_status').on(table.status, table.isRefunded, table.createdAtMs, table.number),
    index('orders_phone_digits').on(toPhoneDigits(table.phone)),
    index('orders_email').on(sql`lower(email)`),
    index('orders_name').on(sql`lower(first_name || ' ' || last_name)`),
    index('orders_last_name').on(sql`lower(last_name)`),
    index('orders_named').on(table.createdAtMs, table.id).where(sql`first_name <> ''`),
  ],
)

/** The number of orders per status, except those whose `isRefunded` is true. Triggers on orders maintain it. */
export const orderCounts = sqliteTable('order_counts', {
  status: text('status', { enum: ORDER_STATUSES }).primaryKey(),
  orders: integer('orders').notNull(),
})

/**
 * Sales per day in the shop's time zone (`2026-11-21`), and the refunds of sold orders for `SALE_REFUND_REASONS` that
 * were completed that day. Triggers maintain them.
 */
export const salesDays = sqliteTable('sales_days', {
  /** An order counts on the day it was placed or, with cash on delivery, first paid. `figureDays` counts by invoice. */
  day: text('day').primaryKey(),
  orders: integer('orders').notNull().default(0),
  subtotalCents: integer('subtotal_cents').notNull().default(0),
  discountCents: integer('discount_cents').notNull().default(0),
  shippingCents: integer('shipping_cents').notNull().default(0),
  vatCents: integer('vat_cents').notNull().default(0),
  totalCents: integer('total_cents').notNull().default(0),
  refundedCents: integer('refunded_cents').notNull().default(0),
})

/** The units sold of each item, per period. Triggers on orders and their lines maintain them. */
export const salesItems = sqliteTable(
  'sales_items',
  {
    /** `day 2026-11-21`, `week 2026-11-16` (a Monday) or `month 2026-11`. */
    period: text('period').notNull(),
    itemId: integer('item_id').notNull(),
    title: text('title').notNull(),
    size: text('size'),
    units: integer('units').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.period, table.itemId] }),
    index('sales_items_units').on(table.period, table.units),
  ],
)

export const orderNotes = sqliteTable(
  'order_notes',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    author: text('author').notNull(),
    text: text('text').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('order_notes_order').on(table.orderId, table.atMs)],
)

export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    atMs: integer('at_ms').notNull(),
    actor: text('actor').notNull(),
    action: text('act').notNull(),
    subject: text('subject').notNull(),
    from: text('from_value'),
    to: text('to_value'),
  },
  (table) => [index('audit_log_at').on(table.atMs), index('audit_log_subject').on(table.subject, table.atMs)],
)

/** The people who may use the office, besides the owner in OWNER_EMAIL. */
export const teamMembers = sqliteTable('team_members', {
  email: text('email').primaryKey(),
  role: text('role', { enum: ROLES }).notNull(),
  addedAtMs: integer('added_at_ms').notNull(),
})

/** A kind of alert without a row has its default settings. */
export const alertSettings = sqliteTable(
  'alert_settings',
  {
    email: text('email').notNull(),
    kind: text('kind').notNull(),
    sendsPush: integer('by_push', { mode: 'boolean' }).notNull(),
    sendsEmail: integer('by_email', { mode: 'boolean' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.email, table.kind] })],
)

export const alertDevices = sqliteTable(
  'alert_devices',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull(),
    label: text('label').notNull(),
    endpoint: text('endpoint').notNull(),
    p256dh: text('p256dh').notNull(),
    auth: text('auth').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    index('alert_devices_email').on(table.email),
    uniqueIndex('alert_devices_endpoint').on(table.endpoint),
  ],
)

/** Triggers add the alerts about new orders, failed refunds and contact messages. */
export const alerts = sqliteTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    kind: text('kind', { enum: ['test', ...ALERT_KIND_NAMES] }).notNull(),
    /** No alert is added while one of the same kind and subject exists. */
    subject: text('subject').notNull(),
    /** Must contain no personal data. */
    text: text('text').notNull(),
    /** The only recipient of a test alert. Null for other alerts. */
    recipient: text('recipient'),
    attempts: integer('attempts').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    sentAtMs: integer('sent_at_ms'),
  },
  (table) => [
    uniqueIndex('alerts_once').on(table.kind, table.subject),
    index('alerts_unsent').on(table.createdAtMs).where(sql`sent_at_ms is null`),
  ],
)

/** The number of responses with status 500 per window. A window is `ERROR_WINDOW_MS` long. */
export const serverErrors = sqliteTable('server_errors', {
  window: integer('window').primaryKey(),
  errors: integer('errors').notNull(),
})

/** The versions' files are in KV. */
export const catalogueVersions = sqliteTable('catalogue_versions', {
  number: integer('number').primaryKey(),
  hash: text('hash').notNull(),
  /** Null if the content is the default. */
  contentHash: text('content_hash'),
  atMs: integer('at_ms').notNull(),
  actor: text('actor').notNull(),
  products: integer('products').notNull(),
  changes: text('changes').notNull(),
})

export const catalogueDraft = sqliteTable('catalogue_draft', {
  id: integer('id').primaryKey(),
  revision: integer('revision').notNull(),
  publishedRevision: integer('published_revision').notNull(),
  /** Doesn't decrease if an item is deleted, so that the item's id isn't reused. */
  nextItemId: integer('next_item_id').notNull(),
})

export const draftProducts = sqliteTable('draft_products', {
  id: integer('id').primaryKey(),
  position: integer('position').notNull(),
  isHidden: integer('is_hidden', { mode: 'boolean' }).notNull(),
  revision: integer('revision').notNull(),
  product: text('product').notNull(),
})

export const draftContent = sqliteTable('draft_content', {
  name: text('key').primaryKey(),
  revision: integer('revision').notNull(),
  value: text('value').notNull(),
})

/**
 * An attempt is recorded before its provider is called. `unknown`: the provider gave no usable response. Only `settled`
 * is final.
 */
export const payments = sqliteTable(
  'payments',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    attempt: integer('attempt').notNull(),
    provider: text('provider', { enum: PROVIDER_NAMES }).notNull(),
    state: text('state', {
      enum: ['sending', 'pending', 'settled', 'declined', 'expired', 'unknown'],
    }).notNull(),
    amountCents: integer('amount_cents').notNull(),
    /** Null unless the provider is `manual`. */
    manualType: text('manual_type', { enum: MANUAL_PAYMENT_TYPES }),
    phone: text('phone'),
    cardBrand: text('card_brand'),
    cardLastFour: text('card_last_four'),
    reference: text('reference'),
    /** The provider's number for the payment, such as an M-Pesa receipt. */
    receipt: text('receipt'),
    /** The manual payment that already counts this attempt's money. */
    recordedAs: text('recorded_as'),
    redirectTo: text('redirect_to'),
    callbackHash: text('callback_hash'),
    problem: text('problem', { enum: PAYMENT_PROBLEMS }),
    /** No longer written. A migration can drop the column once no deployed version selects it. */
    message: text('message'),
    error: text('error'),
    createdAtMs: integer('created_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
    /** When to query the provider next. Null once nothing more has to be checked. */
    nextCheckAtMs: integer('next_check_at_ms'),
    // An earlier version wrote `refundState` to `refundedAtMs`, which are in `refunds` now. A migration can drop them
    // once that version is no longer deployed.
    refundState: text('refund_state', { enum: ['due', 'requested', 'by_hand', 'done'] }),
    refundAttempts: integer('refund_attempts').notNull().default(0),
    nextRefundAtMs: integer('next_refund_at_ms'),
    refundError: text('refund_error'),
    refundedAtMs: integer('refunded_at_ms'),
  },
  (table) => [
    uniqueIndex('payments_order_attempt').on(table.orderId, table.attempt),
    uniqueIndex('payments_provider_reference').on(table.provider, table.reference),
    uniqueIndex('payments_receipt').on(table.receipt),
    uniqueIndex('payments_callback').on(table.callbackHash),
    index('payments_phone').on(table.phone, table.createdAtMs),
    index('payments_ended').on(table.endedAtMs),
    index('payments_state').on(table.state, table.createdAtMs),
    index('payments_refund').on(table.refundState, table.createdAtMs).where(sql`refund_state is not null`),
    index('payments_mismatch').on(table.problem).where(sql`problem = 'amount_differs'`),
    index('payments_next_check').on(table.nextCheckAtMs).where(sql`next_check_at_ms is not null`),
    index('payments_next_refund').on(table.nextRefundAtMs).where(sql`next_refund_at_ms is not null`),
  ],
)

/**
 * A refund is recorded before the provider is called. Triggers reject refunds that exceed their payment
 * (`refundExceedsPayment`). `by_hand`: the operator has to make the refund.
 */
export const refunds = sqliteTable(
  'refunds',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    paymentId: text('payment_id')
      .notNull()
      .references(() => payments.id),
    amountCents: integer('amount_cents').notNull(),
    reason: text('reason', { enum: REFUND_REASONS }).notNull(),
    state: text('state', { enum: REFUND_STATES }).notNull().default('due'),
    attempts: integer('attempts').notNull().default(0),
    /** When to send the refund next, unless its result arrives first. */
    nextAtMs: integer('next_at_ms'),
    error: text('error'),
    /**
     * Identifies the request to the provider. Null until the request is sent, and again after a failure that moved no
     * money.
     */
    reference: text('reference'),
    callbackHash: text('callback_hash'),
    /** The return that the refund is for. The credit note lists its lines. */
    returnId: text('return_id'),
    /** The provider's own number for the refund, which its statement contains. */
    receipt: text('receipt'),
    createdAtMs: integer('created_at_ms').notNull(),
    completedAtMs: integer('completed_at_ms'),
  },
  (table) => [
    index('refunds_order').on(table.orderId),
    index('refunds_payment').on(table.paymentId),
    uniqueIndex('refunds_callback').on(table.callbackHash),
    index('refunds_open').on(table.state, table.createdAtMs).where(sql`state <> 'done'`),
    index('refunds_next').on(table.nextAtMs).where(sql`next_at_ms is not null`),
    index('refunds_receipt').on(table.receipt).where(sql`receipt is not null`),
    index('refunds_completed').on(table.completedAtMs).where(sql`completed_at_ms is not null`),
    check('refunds_amount_positive', sql`amount_cents > 0`),
  ],
)

/** All isolates share the token, because issuing a new one invalidates the previous one. */
export const providerTokens = sqliteTable('provider_tokens', {
  provider: text('provider').primaryKey(),
  token: text('token').notNull(),
  expiresAtMs: integer('expires_at_ms').notNull(),
})

export const orderLines = sqliteTable(
  'order_lines',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    position: integer('position').notNull(),
    productId: integer('product_id').notNull(),
    title: text('title').notNull(),
    size: text('size'),
    image: text('image').notNull(),
    unitPriceCents: integer('unit_price_cents').notNull(),
    qty: integer('qty').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.position] })],
)

/** An item without a row is made to order, without a limit. */
export const stock = sqliteTable(
  'stock',
  {
    itemId: integer('item_id').primaryKey(),
    /** Unsold units, including reserved ones. */
    onHand: integer('on_hand').notNull(),
    reserved: integer('held').notNull().default(0),
  },
  (table) => [
    index('stock_left').on(sql`${table.onHand} - ${table.reserved}`),
    check('stock_within_on_hand', sql`held >= 0 and held <= on_hand`),
  ],
)

/**
 * The units of an order, per item. `held`: reserved. `sold`: the order was placed. `released`: available to others,
 * although the order may still be placed.
 */
export const stockReservations = sqliteTable(
  'stock_holds',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    itemId: integer('item_id').notNull(),
    qty: integer('qty').notNull(),
    state: text('state', { enum: ['held', 'sold', 'released'] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orderId, table.itemId] }),
    index('stock_holds_held').on(table.itemId).where(sql`state = 'held'`),
  ],
)

/** Keyed hashes of the account, device, phone and network that a new customer's order came from. */
export const reservationSources = sqliteTable(
  'reservation_sources',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    source: text('source').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orderId, table.source] }),
    index('reservation_sources_source').on(table.source),
  ],
)

export const stockAlerts = sqliteTable(
  'stock_alerts',
  {
    id: text('id').primaryKey(),
    itemId: integer('item_id').notNull(),
    email: text('email').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('stock_alerts_email_item').on(table.email, table.itemId),
    index('stock_alerts_created').on(table.createdAtMs),
  ],
)

/**
 * Has a row for each fulfilment status that the order reached after `placed`, and for a cancellation. Undoing a status
 * deletes its row.
 */
export const orderEvents = sqliteTable(
  'order_events',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    status: text('status', { enum: ORDER_STATUSES }).notNull(),
    atMs: integer('at_ms').notNull(),
    note: text('note'),
    trackingUrl: text('tracking_address'),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.status] })],
)

export const orderReturns = sqliteTable(
  'order_returns',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    kind: text('kind', { enum: RETURN_KINDS }).notNull(),
    state: text('state', { enum: RETURN_STATES }).notNull(),
    reason: text('reason', { enum: RETURN_REASONS }).notNull(),
    note: text('note'),
    declineMessage: text('decline_message'),
    isByShopper: integer('is_by_shopper', { mode: 'boolean' }).notNull(),
    refundedCents: integer('refunded_cents').notNull().default(0),
    /** The value of a completed return's goods: their price with VAT, net of the discount. */
    goodsValueCents: integer('goods_value_cents').notNull().default(0),
    /** What it took off the amount due, because its goods weren't paid for. */
    creditedCents: integer('credited_cents').notNull().default(0),
    /** Whether its refund or credit includes the order's shipping. */
    refundsShipping: integer('refunds_shipping', { mode: 'boolean' }).notNull().default(false),
    /**
     * When an approved exchange expires and releases its replacements. Null for returns and for unapproved
     * requests.
     */
    reservedUntilMs: integer('reserved_until_ms'),
    /** Where the shopper picks up the replacements. Null unless that was chosen. */
    pickup: text('pickup'),
    /** What the shopper pays the rider for the replacements. Null unless their delivery was chosen. */
    deliveryFeeCents: integer('delivery_fee_cents'),
    createdAtMs: integer('created_at_ms').notNull(),
    changedAtMs: integer('changed_at_ms').notNull(),
  },
  (table) => [
    index('order_returns_order').on(table.orderId),
    index('order_returns_state').on(table.state, table.createdAtMs),
    index('order_returns_reserved').on(table.reservedUntilMs).where(sql`state = 'expected'`),
  ],
)

export const returnLines = sqliteTable(
  'return_lines',
  {
    returnId: text('return_id')
      .notNull()
      .references(() => orderReturns.id),
    position: integer('position').notNull(),
    productId: integer('product_id').notNull(),
    title: text('title').notNull(),
    size: text('size'),
    unitPriceCents: integer('unit_price_cents').notNull(),
    qty: integer('qty').notNull(),
    /** Whether the units were restocked. Null until they arrive. */
    isRestocked: integer('is_restocked', { mode: 'boolean' }),
    /**
     * The item that an exchange sends. A request can leave it null; approving the exchange sets it and reserves the
     * item.
     */
    replacementId: integer('replacement_id'),
    replacementTitle: text('replacement_title'),
    replacementSize: text('replacement_size'),
    replacementImage: text('replacement_image'),
    replacementPriceCents: integer('replacement_price_cents'),
  },
  (table) => [
    primaryKey({ columns: [table.returnId, table.position] }),
    index('return_lines_replacement').on(table.replacementId).where(sql`replacement_id is not null`),
  ],
)

export const ORDER_STATUS_EMAILS = [
  'order-packed',
  'order-shipped',
  'order-ready',
  'order-delivered',
] as const

export const outbox = sqliteTable(
  'outbox',
  {
    id: text('id').primaryKey(),
    kind: text('kind', {
      enum: [
        'order-confirmation',
        'order-notice',
        ...ORDER_STATUS_EMAILS,
        'order-edited',
        'order-return',
        'return-notice',
        'order-cancelled',
        'order-refunded',
        'payment-received',
        'order-link',
        'payment-link',
        'refund-notice',
        'contact-notice',
        'password-reset',
        'password-changed',
        'account-deleted',
        'welcome',
        'back-in-stock',
        'alert-notice',
      ],
    }).notNull(),
    subjectId: text('subject_id').notNull(),
    recipient: text('recipient').notNull(),
    replyTo: text('reply_to'),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
    orderUrl: text('order_address'),
    status: text('status', { enum: ['pending', 'sent', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: integer('attempts').notNull().default(0),
    /**
     * When to send the email next. Each attempt first moves it into the future, so that no other run sends the email
     * too.
     */
    nextAttemptAtMs: integer('next_attempt_at_ms').notNull(),
    lastError: text('last_error'),
    createdAtMs: integer('created_at_ms').notNull(),
    sentAtMs: integer('sent_at_ms'),
  },
  (table) => [
    index('outbox_due').on(table.nextAttemptAtMs).where(sql`status = 'pending'`),
    index('outbox_recipient').on(table.recipient, table.kind, table.sentAtMs),
    uniqueIndex('outbox_once')
      .on(table.subjectId, table.kind)
      .where(sql`order_address is not null and kind not in ('order-edited', 'order-return')`),
    index('outbox_failed').on(table.createdAtMs).where(sql`status = 'failed'`),
    index('outbox_sent').on(table.sentAtMs).where(sql`status = 'sent'`),
    index('outbox_subject').on(table.subjectId),
    index('outbox_recipient_name').on(sql`lower(recipient)`),
    index('outbox_reply').on(sql`lower(reply_to)`).where(sql`reply_to is not null`),
  ],
)

/** Counts visits per day, page, metric and rounded figure. Contains nothing about the visitor. */
export const visitSpeeds = sqliteTable(
  'visit_speeds',
  {
    day: text('day').notNull(),
    page: text('page').notNull(),
    metric: text('metric', { enum: ['lcp', 'inp', 'cls', 'hydration'] }).notNull(),
    /** In milliseconds, or without a unit for `cls`. Rounded to two significant digits. */
    figure: real('figure').notNull(),
    visits: integer('visits').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.page, table.metric, table.figure] })],
)

/** Payments that a provider reports, including those made from the M-Pesa menu. */
export const incomingPayments = sqliteTable(
  'incoming_payments',
  {
    provider: text('provider', { enum: PROVIDER_NAMES }).notNull(),
    receipt: text('receipt').notNull(),
    amountCents: integer('amount_cents').notNull(),
    paidAtMs: integer('paid_at_ms').notNull(),
    /** The account number that the payer typed. */
    account: text('account'),
    payer: text('payer'),
    /** The source that reported the payment first. */
    source: text('source', { enum: ['confirmation', 'pull', 'statement'] }).notNull(),
    /**
     * When the provider's list or statement first included the payment. Null until then, because a confirmation
     * callback can be forged.
     */
    verifiedAtMs: integer('verified_at_ms'),
    /** The order of the payment in `paymentId`. Triggers maintain both. */
    orderId: text('order_id').references(() => orders.id),
    paymentId: text('payment_id'),
    returnedAtMs: integer('returned_at_ms'),
    recordedAtMs: integer('recorded_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.receipt] }),
    index('incoming_payments_paid').on(table.provider, table.paidAtMs),
    index('incoming_payments_receipt').on(table.receipt),
    index('incoming_payments_order').on(table.orderId),
    index('incoming_payments_returned').on(table.returnedAtMs).where(sql`returned_at_ms is not null`),
    index('incoming_payments_open')
      .on(table.paidAtMs, table.receipt)
      .where(sql`payment_id is null and returned_at_ms is null`),
    index('incoming_payments_verified')
      .on(table.verifiedAtMs, table.paidAtMs)
      .where(sql`payment_id is null and returned_at_ms is null`),
  ],
)

/** Refunds of payments that belong to no order. Each refunds the whole payment. */
export const incomingRefunds = sqliteTable(
  'incoming_refunds',
  {
    provider: text('provider', { enum: PROVIDER_NAMES }).notNull(),
    receipt: text('receipt').notNull(),
    state: text('state', { enum: REFUND_STATES }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When to send the refund next, unless its result arrives first. */
    nextAtMs: integer('next_at_ms'),
    error: text('error'),
    callbackHash: text('callback_hash'),
    requestedAtMs: integer('requested_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.receipt] }),
    index('incoming_refunds_next').on(table.nextAtMs).where(sql`next_at_ms is not null`),
    uniqueIndex('incoming_refunds_callback').on(table.callbackHash),
  ],
)

export const incomingSources = sqliteTable(
  'incoming_sources',
  {
    provider: text('provider', { enum: PROVIDER_NAMES }).primaryKey(),
    /** The hash of the secret token in the URL that the provider sends confirmations to. */
    tokenHash: text('token_hash'),
    registrationRequestedAtMs: integer('registration_requested_at_ms'),
    registrationError: text('registration_error'),
    registeredAtMs: integer('registered_at_ms'),
    /** The next pull lists payments from at most `PULL_OVERLAP_MS` before this time. */
    pulledToMs: integer('pulled_to_ms'),
    nextPullAtMs: integer('next_pull_at_ms').notNull().default(0),
    pullError: text('pull_error'),
  },
  (table) => [uniqueIndex('incoming_sources_token').on(table.tokenHash)],
)

export const sellers = sqliteTable('sellers', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  pin: text('pin').notNull(),
  address: text('address').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

export const DOCUMENT_KINDS = ['invoice', 'credit_note'] as const

export const invoiceNumbers = sqliteTable('invoice_numbers', {
  kind: text('kind', { enum: DOCUMENT_KINDS }).primaryKey(),
  last: integer('last').notNull(),
})

/**
 * Triggers issue invoices and credit notes. The sums of a credit note are negative. As in orders, `discountCents` is
 * subtracted from the subtotal.
 */
export const invoices = sqliteTable(
  'invoices',
  {
    kind: text('kind', { enum: DOCUMENT_KINDS }).notNull(),
    number: integer('number').notNull(),
    issuedAtMs: integer('issued_at_ms').notNull(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    paymentId: text('payment_id').notNull(),
    refundId: text('refund_id'),
    sellerId: integer('seller_id'),
    /** The provider of the payment or, if it was recorded manually, its type. */
    method: text('method').notNull(),
    vatPercent: integer('vat_percent').notNull(),
    subtotalCents: integer('subtotal_cents').notNull(),
    discountCents: integer('discount_cents').notNull(),
    shippingCents: integer('shipping_cents').notNull(),
    vatCents: integer('vat_cents').notNull(),
    roundingCents: integer('rounding_cents').notNull(),
    totalCents: integer('total_cents').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.number] }),
    index('invoices_order').on(table.orderId, table.kind, table.number),
    index('invoices_issued').on(table.issuedAtMs, table.kind, table.number),
    uniqueIndex('invoices_payment').on(table.paymentId).where(sql`kind = 'invoice'`),
    uniqueIndex('invoices_refund').on(table.refundId).where(sql`refund_id is not null`),
  ],
)

/** The lines of an invoice or credit note at the time it was issued. */
export const invoiceLines = sqliteTable(
  'invoice_lines',
  {
    kind: text('kind', { enum: DOCUMENT_KINDS }).notNull(),
    number: integer('number').notNull(),
    position: integer('position').notNull(),
    /** The item, or 0 for a line that isn't an item, such as a change to the order. */
    itemId: integer('item_id').notNull(),
    title: text('title').notNull(),
    size: text('size'),
    qty: integer('qty').notNull(),
    unitPriceCents: integer('unit_price_cents').notNull(),
    /** The line's total after the discount. */
    netCents: integer('net_cents').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.number, table.position] })],
)

/**
 * The sums of an order's invoices and credit notes. Triggers maintain them, and read them to issue the next document.
 */
export const orderDocuments = sqliteTable(
  'order_documents',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** The kind `billed` excludes credit notes that don't change the order's total. */
    kind: text('kind', { enum: ['all', 'billed'] }).notNull(),
    subtotalCents: integer('subtotal_cents').notNull(),
    discountCents: integer('discount_cents').notNull(),
    shippingCents: integer('shipping_cents').notNull(),
    vatCents: integer('vat_cents').notNull(),
    totalCents: integer('total_cents').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.kind] })],
)

/**
 * The sums invoiced and credited per day of the document (`2026-11-21`) and method. The method `''` stands for all
 * methods. Triggers maintain them. `salesDays` counts by order instead.
 */
export const figureDays = sqliteTable(
  'figure_days',
  {
    day: text('day').notNull(),
    method: text('method').notNull(),
    orders: integer('orders').notNull().default(0),
    grossCents: integer('gross_cents').notNull().default(0),
    discountCents: integer('discount_cents').notNull().default(0),
    /** The refunds for goods, without VAT. */
    returnedCents: integer('returned_cents').notNull().default(0),
    // `shippingCents` to `totalCents` are net of refunds.
    shippingCents: integer('shipping_cents').notNull().default(0),
    vatCents: integer('vat_cents').notNull().default(0),
    roundingCents: integer('rounding_cents').notNull().default(0),
    totalCents: integer('total_cents').notNull().default(0),
    refundedCents: integer('refunded_cents').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.method, table.day] })],
)

/** Sales per day and item, after discounts and without VAT. Triggers maintain the sums. */
export const figureItems = sqliteTable(
  'figure_items',
  {
    day: text('day').notNull(),
    itemId: integer('item_id').notNull(),
    title: text('title').notNull(),
    size: text('size'),
    units: integer('units').notNull(),
    netCents: integer('net_cents').notNull(),
    returnedCents: integer('returned_cents').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.itemId] })],
)

/** Money that left the shop's account, according to the provider's statements. */
export const withdrawals = sqliteTable(
  'withdrawals',
  {
    provider: text('provider', { enum: PROVIDER_NAMES }).notNull(),
    receipt: text('receipt').notNull(),
    /** A fee has the receipt of the transaction that it was charged for. */
    isFee: integer('is_fee', { mode: 'boolean' }).notNull(),
    amountCents: integer('amount_cents').notNull(),
    atMs: integer('at_ms').notNull(),
    details: text('details'),
    /** The receipt or reference of the refunded payment, if the statement names one. */
    linkedReceipt: text('linked_receipt'),
    /**
     * The id of the refund that the withdrawal paid, or `returned` and the receipt of the incoming payment that it
     * returned.
     */
    matchedTo: text('matched_to'),
    /** The order of the refund in `matchedTo`. A trigger maintains it. */
    orderId: text('order_id').references(() => orders.id),
    dismissedAtMs: integer('dismissed_at_ms'),
    recordedAtMs: integer('recorded_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.receipt, table.isFee, table.amountCents] }),
    index('withdrawals_at').on(table.provider, table.atMs),
    index('withdrawals_receipt').on(table.receipt),
    index('withdrawals_order').on(table.orderId).where(sql`order_id is not null`),
    index('withdrawals_linked').on(table.linkedReceipt).where(sql`linked_receipt is not null`),
    uniqueIndex('withdrawals_matched').on(table.matchedTo).where(sql`matched_to is not null`),
  ],
)

export const statements = sqliteTable(
  'statements',
  {
    provider: text('provider', { enum: PROVIDER_NAMES }).notNull(),
    firstMs: integer('first_ms').notNull(),
    lastMs: integer('last_ms').notNull(),
    uploadedAtMs: integer('uploaded_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.firstMs, table.lastMs] }),
    index('statements_last').on(table.provider, table.lastMs),
  ],
)

/** Days whose payments the operator has compared with the provider's. */
export const closedDays = sqliteTable(
  'closed_days',
  {
    provider: text('provider', { enum: PROVIDER_NAMES }).notNull(),
    day: text('day').notNull(),
    closedAtMs: integer('closed_at_ms').notNull(),
    actor: text('actor').notNull(),
    snapshot: text('snapshot').notNull(),
  },
  (table) => [primaryKey({ columns: [table.provider, table.day] })],
)
