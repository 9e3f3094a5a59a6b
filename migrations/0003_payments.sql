-- Attempts to pay an order. The version deployed before this migration can still place orders, because its columns
-- in `orders` stay until the next migration.
CREATE TABLE payments (
  id text PRIMARY KEY NOT NULL,
  order_id text NOT NULL,
  attempt integer NOT NULL,
  provider text NOT NULL,
  state text NOT NULL,
  amount_cents integer NOT NULL,
  phone text,
  card_brand text,
  card_last_four text,
  reference text,
  receipt text,
  redirect_to text,
  callback_hash text,
  problem text,
  message text,
  error text,
  created_at_ms integer NOT NULL,
  ended_at_ms integer,
  next_check_at_ms integer,
  refund_state text,
  refund_attempts integer DEFAULT 0 NOT NULL,
  next_refund_at_ms integer,
  refund_error text,
  refunded_at_ms integer,
  FOREIGN KEY (order_id) REFERENCES orders(id)
);

INSERT INTO payments (id, order_id, attempt, provider, state, amount_cents, card_brand, card_last_four, reference, created_at_ms, ended_at_ms, refund_state)
SELECT 'of-' || id, id, 1, payment_provider, 'settled', total_cents, card_brand, card_last_four, payment_reference, created_at_ms, created_at_ms,
  CASE WHEN status = 'cancelled' THEN 'done' END
FROM orders;

CREATE UNIQUE INDEX payments_order_attempt ON payments (order_id,attempt);
CREATE UNIQUE INDEX payments_provider_reference ON payments (provider,reference);
CREATE UNIQUE INDEX payments_receipt ON payments (receipt);
CREATE UNIQUE INDEX payments_callback ON payments (callback_hash);
CREATE UNIQUE INDEX payments_kept ON payments (order_id) WHERE state = 'settled' and refund_state is null;
CREATE INDEX payments_phone ON payments (phone,created_at_ms);
CREATE INDEX payments_ended ON payments (ended_at_ms);
CREATE INDEX payments_next_check ON payments (next_check_at_ms) WHERE next_check_at_ms is not null;
CREATE INDEX payments_next_refund ON payments (next_refund_at_ms) WHERE next_refund_at_ms is not null;

ALTER TABLE orders ADD COLUMN phone text;
ALTER TABLE orders ADD COLUMN confirmation_email text;
ALTER TABLE orders ADD COLUMN holds_promotion integer DEFAULT 1 NOT NULL;
ALTER TABLE orders ADD COLUMN expires_at_ms integer;
ALTER TABLE orders DROP COLUMN payment_provider;
ALTER TABLE orders DROP COLUMN payment_reference;
ALTER TABLE orders ADD COLUMN payment_provider text DEFAULT '' NOT NULL;
ALTER TABLE orders ADD COLUMN payment_reference text DEFAULT '' NOT NULL;
UPDATE orders SET status = 'placed' WHERE status = 'paid';
CREATE INDEX orders_expiring ON orders (expires_at_ms) WHERE status = 'awaiting_payment';

ALTER TABLE users ADD COLUMN phone text;

CREATE TABLE provider_tokens (
  provider text PRIMARY KEY NOT NULL,
  token text NOT NULL,
  expires_at_ms integer NOT NULL
);
