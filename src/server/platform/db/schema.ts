import { sql } from 'drizzle-orm'
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
import { PAYMENT_PROBLEMS } from '#shared/payments/payment.ts'
import { PROVIDER_NAMES } from '#shared/payments/providers.ts'

// Times are milliseconds since the epoch; money is integer cents (1 KSH = 100). Tables are rebuilt by some
// migrations, which fires ON DELETE CASCADE, so no table here has it.

/** People with an account. `email` is trimmed and lower-cased: one identity whatever its case (§ 3). */
export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull().unique(),
    name: text('name').notNull(),
    /** PHC string: algorithm, parameters, salt and hash. */
    passwordHash: text('password_hash').notNull(),
    firstName: text('first_name'),
    lastName: text('last_name'),
    address: text('address'),
    address2: text('address2'),
    country: text('country'),
    state: text('state'),
    zip: text('zip'),
    phone: text('phone'),
    createdAtMs: integer('created_at_ms').notNull(),
    /** When its owner followed a link in a mail to the address; null while anybody may have typed it. */
    emailVerifiedAtMs: integer('email_verified_at_ms'),
  },
  (table) => [index('users_created').on(table.createdAtMs)],
)

/** Sign-ins. One row, two secrets, each stored as SHA-256 (hex): the cookie's and the Bearer token's. */
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
    /** Of its beginning: `Chrome on Android`, and two letters. */
    browser: text('browser'),
    country: text('country'),
    /** Its last use, to the day. */
    lastSeenAtMs: integer('last_seen_at_ms').notNull().default(0),
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_expiry').on(table.expiresAtMs)],
)

/** One-use links to choose a new password; the code is stored as SHA-256 (hex). */
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

/** What happened to an account: for its owner, and for the operator who is asked about it. */
export const accountEvents = sqliteTable(
  'account_events',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    kind: text('kind', { enum: ACTIVITY_KINDS }).notNull(),
    atMs: integer('at_ms').notNull(),
    /** `Chrome on Android`. */
    browser: text('browser'),
    /** Two letters. */
    country: text('country'),
  },
  (table) => [
    index('account_events_user').on(table.userId, table.atMs),
    index('account_events_at').on(table.atMs),
  ],
)

/** Attempts to sign in that failed, and requests for reset mails: counts that outlive the rate limits' minute. */
export const attemptCounts = sqliteTable(
  'attempt_counts',
  {
    /** SHA-256 (hex) of what is counted. */
    key: text('key').primaryKey(),
    attempts: integer('attempts').notNull(),
    lastAtMs: integer('last_at_ms').notNull(),
  },
  (table) => [index('attempt_counts_last').on(table.lastAtMs)],
)

/** Messages sent through the contact form. */
export const contactMessages = sqliteTable(
  'contact_messages',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    message: text('message').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Probably spam: the shop is not notified of it. */
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

/** Promo codes. `code` is upper case. */
export const promotions = sqliteTable(
  'promotions',
  {
    code: text('code').primaryKey(),
    kind: text('kind', { enum: ['percent', 'fixed'] }).notNull(),
    /** Whole percent for `percent`, cents for `fixed`. */
    value: integer('value').notNull(),
    minimumSubtotalCents: integer('minimum_subtotal_cents').notNull().default(0),
    startsAtMs: integer('starts_at_ms'),
    endsAtMs: integer('ends_at_ms'),
    /** Limit of uses may use it; null is without limit. */
    maxUses: integer('max_uses'),
    uses: integer('uses').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  () => [
    // Two orders taking the last use: the later one's whole batch fails.
    check('promotions_within_limit', sql`max_uses is null or uses <= max_uses`),
  ],
)

/** Placed orders, with what the shopper was charged. */
export const orders = sqliteTable(
  'orders',
  {
    id: text('id').primaryKey(),
    /** The number for people: `P-7K3M9Q`. */
    number: text('number').notNull().unique(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 (hex) of the request: distinguishes a retry from another order under the same key. */
    requestHash: text('request_hash').notNull(),
    /** Where the goods are; whether they are paid for follows from the payments. */
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
    /** The rate it was placed with, in whole percent. */
    vatPercent: integer('vat_percent').notNull().default(16),
    /** Rounded to whole KSH (§ 9). */
    totalCents: integer('total_cents').notNull(),
    promoCode: text('promo_code').references(() => promotions.code),
    /** For the rider; 254XXXXXXXXX, or as it was typed. */
    phone: text('phone'),
    /** What the rider finds the address by, such as `opposite the blue gate`. */
    landmark: text('landmark'),
    giftNote: text('gift_note'),
    /** The zone whose fee was agreed; null where one fee applied everywhere, and for pickup. */
    deliveryZone: text('delivery_zone'),
    /** Where and when it is picked up; null where it is delivered. */
    pickup: text('pickup'),
    /** Where its mails go instead of `email`; null for `email`. */
    confirmationEmail: text('confirmation_email'),
    /** Whether a use of its promo code is counted for it; given back when the order comes to nothing. */
    holdsPromotion: integer('holds_promotion', { mode: 'boolean' }).notNull().default(true),
    /** When it expires unless it is paid; null for orders placed before attempts were recorded. */
    expiresAtMs: integer('expires_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    // The version deployed before wrote these; they are in `payments` now, and the next migration may drop them.
    paymentProvider: text('payment_provider').notNull().default(''),
    paymentReference: text('payment_reference').notNull().default(''),
    cardBrand: text('card_brand'),
    cardLastFour: text('card_last_four'),
  },
  (table) => [
    uniqueIndex('orders_user_key').on(table.userId, table.idempotencyKey),
    index('orders_user_created').on(table.userId, table.createdAtMs),
    index('orders_created').on(table.createdAtMs),
    // With the status in them, SQLite prefers them to `orders_status`.
    index('orders_expiring').on(table.status, table.expiresAtMs).where(sql`status = 'awaiting_payment'`),
    index('orders_awaiting').on(table.status, table.userId).where(sql`status = 'awaiting_payment'`),
    index('orders_status').on(table.status, table.createdAtMs, table.number),
    index('orders_phone').on(table.phone),
    index('orders_name').on(sql`lower(first_name || ' ' || last_name)`),
    index('orders_last_name').on(sql`lower(last_name)`),
    index('orders_named').on(table.createdAtMs, table.id).where(sql`first_name <> ''`),
  ],
)

/** Limit of uses have each status; triggers of the orders keep it. */
export const orderCounts = sqliteTable('order_counts', {
  status: text('status', { enum: ORDER_STATUSES }).primaryKey(),
  orders: integer('orders').notNull(),
})

/** What was sold on each day in the shop's zone, `2026-11-21`, and refunded on it; triggers of orders and payments keep it. */
export const salesDays = sqliteTable('sales_days', {
  day: text('day').primaryKey(),
  /** Those placed on the day that are paid for and not cancelled. */
  orders: integer('orders').notNull().default(0),
  subtotalCents: integer('subtotal_cents').notNull().default(0),
  discountCents: integer('discount_cents').notNull().default(0),
  shippingCents: integer('shipping_cents').notNull().default(0),
  vatCents: integer('vat_cents').notNull().default(0),
  totalCents: integer('total_cents').notNull().default(0),
  refundedCents: integer('refunded_cents').notNull().default(0),
})

/** How many units of an item were sold in a period; triggers of orders and their lines keep it. */
export const salesItems = sqliteTable(
  'sales_items',
  {
    /** `day 2026-11-21`, `week 2026-11-16` (from a Monday) or `month 2026-11`. */
    period: text('period').notNull(),
    itemId: integer('item_id').notNull(),
    /** As it was sold last. */
    title: text('title').notNull(),
    size: text('size'),
    units: integer('units').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.period, table.itemId] }),
    index('sales_items_units').on(table.period, table.units),
  ],
)

/** What the operator's people tell each other about an order; shoppers never see it. */
export const orderNotes = sqliteTable(
  'order_notes',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** Who wrote it, by e-mail address. */
    author: text('author').notNull(),
    text: text('text').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('order_notes_order').on(table.orderId, table.atMs)],
)

/** What was done in the office: who, when, what, from, to. Never changed. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    atMs: integer('at_ms').notNull(),
    /** Who did it, by e-mail address. */
    actor: text('actor').notNull(),
    /** `order.status`, `promotion.end`. */
    act: text('act').notNull(),
    /** What it was done to: an order's number, a promo code, a message's id. */
    subject: text('subject').notNull(),
    from: text('from_value'),
    to: text('to_value'),
  },
  (table) => [index('audit_log_at').on(table.atMs), index('audit_log_subject').on(table.subject, table.atMs)],
)

/** Every version of the catalogue that was published; the last one is live. The files are in KV. */
export const catalogueVersions = sqliteTable('catalogue_versions', {
  number: integer('number').primaryKey(),
  /** SHA-256 of the file, in hexadecimal: a version that is brought back has the hash of the earlier one. */
  hash: text('hash').notNull(),
  atMs: integer('at_ms').notNull(),
  /** Who published it, by e-mail address. */
  actor: text('actor').notNull(),
  /** How many it has. */
  products: integer('products').notNull(),
  /** What is different from the version before, in words. */
  changes: text('changes').notNull(),
})

/** The one row about the catalogue's draft, which all helpers in the office share. */
export const catalogueDraft = sqliteTable('catalogue_draft', {
  id: integer('id').primaryKey(),
  /** Raised by every change. */
  revision: integer('revision').notNull(),
  /** The revision that shoppers see. */
  publishedRevision: integer('published_revision').notNull(),
  /** The id of the next item: none is used twice, also when an item is deleted. */
  nextItemId: integer('next_item_id').notNull(),
})

/** The draft's products, those that are hidden from shoppers included. */
export const draftProducts = sqliteTable('draft_products', {
  id: integer('id').primaryKey(),
  /** Their order; there are gaps. */
  position: integer('position').notNull(),
  isHidden: integer('is_hidden', { mode: 'boolean' }).notNull(),
  /** The draft's revision that changed it last. */
  revision: integer('revision').notNull(),
  /** JSON: `DraftProduct`. */
  product: text('product').notNull(),
})

/**
 * Attempts to pay an order, written before a provider is asked. `sending`: being asked; `pending`: accepted, the
 * shopper's turn; `unknown`: no usable answer; `expired`: its order expired first. Money may still come for all four.
 */
export const payments = sqliteTable(
  'payments',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** 1 for the first. */
    attempt: integer('attempt').notNull(),
    provider: text('provider', { enum: PROVIDER_NAMES }).notNull(),
    state: text('state', {
      enum: ['sending', 'pending', 'settled', 'declined', 'expired', 'unknown'],
    }).notNull(),
    amountCents: integer('amount_cents').notNull(),
    /** Who is asked to pay, as 254XXXXXXXXX. */
    phone: text('phone'),
    cardBrand: text('card_brand'),
    cardLastFour: text('card_last_four'),
    /** The provider's name for the attempt. */
    reference: text('reference'),
    /** The provider's proof of payment; one that is entered by hand counts once. */
    receipt: text('receipt'),
    /** The provider's page to pay on. */
    redirectTo: text('redirect_to'),
    /** SHA-256 (hex) of the token in the address that the provider calls back. */
    callbackHash: text('callback_hash'),
    /** Why it was declined; the provider's messages have the sentence for it. */
    problem: text('problem', { enum: PAYMENT_PROBLEMS }),
    /** Neither written nor read any more; dropping it would break the version that is deployed. */
    message: text('message'),
    /** What went wrong with the provider the last time, for the operator. */
    error: text('error'),
    createdAtMs: integer('created_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
    /** When the provider is to be asked next what became of it; null when nothing can change any more. */
    nextCheckAtMs: integer('next_check_at_ms'),
    /** Null unless it is to be refunded. */
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
    // An order has one accepted payment: any other is refunded.
    uniqueIndex('payments_kept').on(table.orderId).where(sql`state = 'settled' and refund_state is null`),
    index('payments_phone').on(table.phone, table.createdAtMs),
    index('payments_ended').on(table.endedAtMs),
    index('payments_state').on(table.state, table.createdAtMs),
    index('payments_refund').on(table.refundState, table.createdAtMs).where(sql`refund_state is not null`),
    index('payments_next_check').on(table.nextCheckAtMs).where(sql`next_check_at_ms is not null`),
    index('payments_next_refund').on(table.nextRefundAtMs).where(sql`next_refund_at_ms is not null`),
  ],
)

/** Access tokens that all isolates share, because a provider ends the one before when it issues a new one. */
export const providerTokens = sqliteTable('provider_tokens', {
  provider: text('provider').primaryKey(),
  token: text('token').notNull(),
  expiresAtMs: integer('expires_at_ms').notNull(),
})

/** The lines of an order, as sold: later changes of the catalogue do not touch them. */
export const orderLines = sqliteTable(
  'order_lines',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** 0 for the first line. */
    position: integer('position').notNull(),
    /** The item's: the size's id where the product comes in sizes. */
    productId: integer('product_id').notNull(),
    title: text('title').notNull(),
    /** The size's label; null for a product without sizes. */
    size: text('size'),
    image: text('image').notNull(),
    unitPriceCents: integer('unit_price_cents').notNull(),
    qty: integer('qty').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.position] })],
)

/** How many units of an item there are to sell; an item without a row is made to order, without limit. */
export const stock = sqliteTable(
  'stock',
  {
    itemId: integer('item_id').primaryKey(),
    /** Units that are not paid for; those that orders hold are among them. */
    onHand: integer('on_hand').notNull(),
    /** The sum of the rows of `stock_holds` that are `held`. */
    held: integer('held').notNull().default(0),
  },
  (table) => [
    index('stock_left').on(sql`${table.onHand} - ${table.held}`),
    // Two orders for the last unit: the later one is not inserted; this keeps every other change from it.
    check('stock_within_on_hand', sql`held >= 0 and held <= on_hand`),
  ],
)

/**
 * The units that an order needs of items with stock. `held`: nobody else can order them; `sold`: paid for;
 * `released`: anybody's, because the order expired, failed, was cancelled, or made way for another of the same shopper.
 */
export const stockHolds = sqliteTable(
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

/** Who wants to be told when an item is back; deleted once they are. */
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

/** When an order reached each of its statuses, and what the shopper was told; a step that is taken back is deleted. */
export const orderEvents = sqliteTable(
  'order_events',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    status: text('status', { enum: ORDER_STATUSES }).notNull(),
    atMs: integer('at_ms').notNull(),
    /** From the operator or the rider, for the shopper. */
    note: text('note'),
    /** An https page that tracks the parcel. */
    trackingAddress: text('tracking_address'),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.status] })],
)

/** The mails of which a step of an order sends one. */
export const ORDER_STATUS_EMAILS = [
  'order-packed',
  'order-shipped',
  'order-ready',
  'order-delivered',
] as const

/** E-mails to deliver: inserted with the row they belong to, delivered afterwards. */
export const outbox = sqliteTable(
  'outbox',
  {
    id: text('id').primaryKey(),
    kind: text('kind', {
      enum: [
        'order-confirmation',
        'order-notice',
        ...ORDER_STATUS_EMAILS,
        'order-cancelled',
        'order-refunded',
        'order-link',
        'refund-notice',
        'contact-notice',
        'password-reset',
        'password-changed',
        'account-deleted',
        'welcome',
        'back-in-stock',
      ],
    }).notNull(),
    /** The order, message or user it belongs to. */
    subjectId: text('subject_id').notNull(),
    recipient: text('recipient').notNull(),
    replyTo: text('reply_to'),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
    /** The page of the order it is about, with or without the origin; its signed link is made when it is delivered. */
    orderAddress: text('order_address'),
    status: text('status', { enum: ['pending', 'sent', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: integer('attempts').notNull().default(0),
    /** When the next attempt is due; moved ahead while one is running, so that two runs do not both send. */
    nextAttemptAtMs: integer('next_attempt_at_ms').notNull(),
    lastError: text('last_error'),
    createdAtMs: integer('created_at_ms').notNull(),
    sentAtMs: integer('sent_at_ms'),
  },
  (table) => [
    index('outbox_due').on(table.nextAttemptAtMs).where(sql`status = 'pending'`),
    index('outbox_recipient').on(table.recipient, table.kind, table.sentAtMs),
    uniqueIndex('outbox_once').on(table.subjectId, table.kind).where(sql`order_address is not null`),
    index('outbox_failed').on(table.createdAtMs).where(sql`status = 'failed'`),
    index('outbox_sent').on(table.sentAtMs).where(sql`status = 'sent'`),
    index('outbox_subject').on(table.subjectId),
    index('outbox_recipient_name').on(sql`lower(recipient)`),
    index('outbox_reply').on(sql`lower(reply_to)`).where(sql`reply_to is not null`),
  ],
)

/** How many visits of a day had which speed, by the page's name; nothing of the visitor. */
export const visitSpeeds = sqliteTable(
  'visit_speeds',
  {
    /** In the shop's zone, `2026-11-21`. */
    day: text('day').notNull(),
    page: text('page').notNull(),
    /** Largest paint, interaction, layout shift, hydration. */
    metric: text('metric', { enum: ['lcp', 'inp', 'cls', 'hydration'] }).notNull(),
    /** In ms, or without a unit; rounded to two digits. */
    figure: real('figure').notNull(),
    visits: integer('visits').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.page, table.metric, table.figure] })],
)
