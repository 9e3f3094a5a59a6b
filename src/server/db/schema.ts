import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ACTIVITY_KINDS } from '#shared/rules/activity.ts'

// Times are milliseconds since the epoch; money is integer cents (1 KSH = 100). Tables are rebuilt by some
// migrations, which fires ON DELETE CASCADE, so no table here has it.

/** People with an account. `email` is trimmed and lower-cased: one identity whatever its case (§ 3). */
export const users = sqliteTable('users', {
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
  createdAtMs: integer('created_at_ms').notNull(),
  /** When its owner followed a link in a mail to the address; null while anybody may have typed it. */
  emailVerifiedAtMs: integer('email_verified_at_ms'),
})

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
  (table) => [index('password_resets_user').on(table.userId)],
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
    /** Probably written by a program: the shop is not notified of it. */
    isSuspicious: integer('is_suspicious', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('contact_messages_created').on(table.createdAtMs)],
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
    /** How many orders may use it; null is without limit. */
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
    status: text('status', { enum: ['placed', 'paid', 'shipped', 'delivered', 'cancelled'] }).notNull(),
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
    /** Rounded to whole KSH (§ 9). */
    totalCents: integer('total_cents').notNull(),
    promoCode: text('promo_code').references(() => promotions.code),
    paymentProvider: text('payment_provider').notNull(),
    paymentReference: text('payment_reference').notNull(),
    cardBrand: text('card_brand'),
    cardLastFour: text('card_last_four'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('orders_user_key').on(table.userId, table.idempotencyKey),
    index('orders_user_created').on(table.userId, table.createdAtMs),
    index('orders_created').on(table.createdAtMs),
  ],
)

/** The lines of an order, as sold: later changes of the catalogue do not touch them. */
export const orderLines = sqliteTable(
  'order_lines',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** 0 for the first line. */
    position: integer('position').notNull(),
    productId: integer('product_id').notNull(),
    title: text('title').notNull(),
    image: text('image').notNull(),
    unitPriceCents: integer('unit_price_cents').notNull(),
    qty: integer('qty').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.position] })],
)

/** E-mails to deliver: inserted with the row they belong to, delivered afterwards. */
export const outbox = sqliteTable(
  'outbox',
  {
    id: text('id').primaryKey(),
    kind: text('kind', {
      enum: ['order-confirmation', 'order-notice', 'contact-notice', 'password-reset', 'welcome'],
    }).notNull(),
    /** The order, message or user it belongs to. */
    subjectId: text('subject_id').notNull(),
    recipient: text('recipient').notNull(),
    replyTo: text('reply_to'),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
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
  ],
)
