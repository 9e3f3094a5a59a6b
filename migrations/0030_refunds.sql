-- Refunds. A payment can be refunded in parts. The version deployed before this migration still writes to the
-- refund columns of `payments`, so they stay, and a trigger copies their values.
CREATE TABLE refunds (
  id text PRIMARY KEY NOT NULL,
  order_id text NOT NULL,
  payment_id text NOT NULL,
  amount_cents integer NOT NULL,
  reason text NOT NULL,
  state text DEFAULT 'due' NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_at_ms integer,
  error text,
  reference text,
  callback_hash text,
  created_at_ms integer NOT NULL,
  completed_at_ms integer,
  FOREIGN KEY (order_id) REFERENCES orders(id),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  CONSTRAINT "refunds_amount_positive" CHECK(amount_cents > 0)
);

CREATE INDEX refunds_order ON refunds (order_id);
CREATE INDEX refunds_payment ON refunds (payment_id);
CREATE UNIQUE INDEX refunds_callback ON refunds (callback_hash);
CREATE INDEX refunds_open ON refunds (state, created_at_ms) WHERE state <> 'done';
CREATE INDEX refunds_next ON refunds (next_at_ms) WHERE next_at_ms is not null;
CREATE INDEX refunds_completed ON refunds (completed_at_ms) WHERE completed_at_ms is not null;

INSERT INTO refunds (id, order_id, payment_id, amount_cents, reason, state, attempts, next_at_ms, error, created_at_ms, completed_at_ms)
SELECT 'of-' || payments.id, order_id, payments.id, amount_cents,
  CASE orders.status WHEN 'cancelled' THEN 'order_cancelled' WHEN 'expired' THEN 'late_payment' ELSE
    iif(EXISTS (SELECT 1 FROM payments kept WHERE kept.order_id = orders.id AND kept.state = 'settled' AND kept.refund_state IS NULL),
      'extra_payment', 'other') END,
  refund_state, refund_attempts, next_refund_at_ms, refund_error, coalesce(ended_at_ms, payments.created_at_ms), refunded_at_ms
FROM payments JOIN orders ON orders.id = order_id WHERE refund_state IS NOT NULL;

-- An order can have several payments: the first one, and the difference after an edit or exchange.
DROP INDEX payments_kept;

-- How a payment that the operator recorded was made.
ALTER TABLE payments ADD COLUMN manual_type text;

-- The sums of an order's settled payments and of its refunds, so that lists don't have to read these.
-- `is_refunded` is 1 once every payment has been refunded or is being refunded, so nothing is left to pack.
ALTER TABLE orders ADD COLUMN paid_cents integer DEFAULT 0 NOT NULL;
ALTER TABLE orders ADD COLUMN refund_cents integer DEFAULT 0 NOT NULL;
ALTER TABLE orders ADD COLUMN is_refunded integer DEFAULT 0 NOT NULL;

UPDATE orders SET
  paid_cents = (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE order_id = orders.id AND +state = 'settled'),
  refund_cents = (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id);
UPDATE orders SET is_refunded = 1 WHERE refund_cents > 0 AND paid_cents <= refund_cents;

DROP INDEX orders_status;
CREATE INDEX orders_status ON orders (status, is_refunded, created_at_ms, number);

CREATE TRIGGER refunds_within_payment BEFORE INSERT ON refunds
WHEN new.amount_cents + (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE payment_id = new.payment_id) >
  coalesce((SELECT amount_cents FROM payments WHERE id = new.payment_id AND order_id = new.order_id AND state = 'settled'), 0) BEGIN
  SELECT RAISE(ABORT, 'guard violated: refundExceedsPayment');
END;

CREATE TRIGGER refunds_unchangeable BEFORE UPDATE OF payment_id, order_id, amount_cents ON refunds
WHEN (new.payment_id, new.order_id, new.amount_cents) <> (old.payment_id, old.order_id, old.amount_cents) BEGIN
  SELECT RAISE(ABORT, 'guard violated: refundExceedsPayment');
END;

CREATE TRIGGER refunds_sum AFTER INSERT ON refunds BEGIN
  UPDATE orders SET refund_cents = refund_cents + new.amount_cents, is_refunded = paid_cents <= refund_cents + new.amount_cents
  WHERE id = new.order_id;
END;

CREATE TRIGGER payments_insert AFTER INSERT ON payments WHEN new.state = 'settled' BEGIN
  UPDATE orders SET paid_cents = paid_cents + new.amount_cents, is_refunded = 0 WHERE id = new.order_id;
END;

CREATE TRIGGER payments_settle AFTER UPDATE OF state ON payments WHEN new.state = 'settled' AND old.state <> 'settled' BEGIN
  UPDATE orders SET paid_cents = paid_cents + new.amount_cents, is_refunded = 0 WHERE id = new.order_id;
END;

CREATE TRIGGER payments_refund_column AFTER UPDATE OF refund_state ON payments WHEN new.refund_state IS NOT NULL BEGIN
  INSERT INTO refunds (id, order_id, payment_id, amount_cents, reason, state, attempts, next_at_ms, error, created_at_ms, completed_at_ms)
  SELECT 'of-' || new.id, new.order_id, new.id, new.amount_cents, 'other', new.refund_state, new.refund_attempts,
    new.next_refund_at_ms, new.refund_error, unixepoch() * 1000, new.refunded_at_ms
  WHERE NOT EXISTS (SELECT 1 FROM refunds WHERE id = 'of-' || new.id);
  UPDATE refunds SET state = new.refund_state, attempts = new.refund_attempts, next_at_ms = new.next_refund_at_ms,
    error = new.refund_error, completed_at_ms = new.refunded_at_ms
  WHERE id = 'of-' || new.id;
END;

-- The number of orders per status, without orders refunded in full.
UPDATE order_counts SET orders = (SELECT count(*) FROM orders WHERE orders.status = order_counts.status AND is_refunded = 0);

DROP TRIGGER order_counts_update;
CREATE TRIGGER order_counts_update AFTER UPDATE OF status, is_refunded ON orders
WHEN old.status <> new.status OR old.is_refunded <> new.is_refunded BEGIN
  UPDATE order_counts SET orders = orders - 1 WHERE status = old.status AND old.is_refunded = 0;
  INSERT INTO order_counts (status, orders) SELECT new.status, 1 WHERE new.is_refunded = 0
  ON CONFLICT (status) DO UPDATE SET orders = orders + 1;
END;

DROP TRIGGER order_counts_delete;
CREATE TRIGGER order_counts_delete AFTER DELETE ON orders WHEN old.is_refunded = 0 BEGIN
  UPDATE order_counts SET orders = orders - 1 WHERE status = old.status;
END;

-- A sold order counts with its current totals, even after an edit.
DROP TRIGGER sales_order_update;
CREATE TRIGGER sales_order_update AFTER UPDATE OF status, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents ON orders
WHEN (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'))
  OR new.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
    AND (new.subtotal_cents, new.discount_cents, new.shipping_cents, new.vat_cents, new.total_cents)
      <> (old.subtotal_cents, old.discount_cents, old.shipping_cents, old.vat_cents, old.total_cents) BEGIN
  INSERT INTO sales_day_changes SELECT old.created_at_ms, -1, old.subtotal_cents, old.discount_cents, old.shipping_cents,
    old.vat_cents, old.total_cents, 0
  WHERE old.status NOT IN ('awaiting_payment', 'expired', 'cancelled');
  INSERT INTO sales_day_changes SELECT new.created_at_ms, 1, new.subtotal_cents, new.discount_cents, new.shipping_cents,
    new.vat_cents, new.total_cents, 0
  WHERE new.status NOT IN ('awaiting_payment', 'expired', 'cancelled');
  INSERT INTO sales_item_changes SELECT new.created_at_ms, product_id, title, size,
    iif(new.status IN ('awaiting_payment', 'expired', 'cancelled'), -qty, qty)
  FROM order_lines WHERE order_id = new.id
    AND (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'));
  INSERT INTO sales_day_changes SELECT completed_at_ms, 0, 0, 0, 0, 0, 0,
    iif(new.status IN ('awaiting_payment', 'expired', 'cancelled'), -amount_cents, amount_cents)
  FROM refunds WHERE order_id = new.id AND state = 'done' AND completed_at_ms IS NOT NULL AND reason IN ('return', 'other')
    AND (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'));
END;

CREATE TRIGGER sales_line_update AFTER UPDATE OF product_id, title, size, qty ON order_lines BEGIN
  INSERT INTO sales_item_changes SELECT created_at_ms, old.product_id, old.title, old.size, -old.qty FROM orders
  WHERE id = old.order_id AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
  INSERT INTO sales_item_changes SELECT created_at_ms, new.product_id, new.title, new.size, new.qty FROM orders
  WHERE id = new.order_id AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
END;

-- A refund reduces sales on the day it is completed, if the order stays sold and its total isn't lowered instead
-- (SALE_REFUND_REASONS in src/shared/payments/refunds.ts).
DROP TRIGGER sales_refund_insert;
DROP TRIGGER sales_refund_update;

UPDATE sales_days SET refunded_cents = coalesce((SELECT sum(amount_cents) FROM refunds JOIN orders ON orders.id = order_id
  WHERE date(completed_at_ms / 1000, 'unixepoch', '+3 hours') = sales_days.day AND refunds.state = 'done'
    AND reason IN ('return', 'other') AND status NOT IN ('awaiting_payment', 'expired', 'cancelled')), 0);

CREATE TRIGGER sales_refund_insert AFTER INSERT ON refunds
WHEN new.state = 'done' AND new.completed_at_ms IS NOT NULL AND new.reason IN ('return', 'other') BEGIN
  INSERT INTO sales_day_changes SELECT new.completed_at_ms, 0, 0, 0, 0, 0, 0, new.amount_cents FROM orders
  WHERE id = new.order_id AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
END;

CREATE TRIGGER sales_refund_update AFTER UPDATE OF state ON refunds
WHEN new.state = 'done' AND old.state <> 'done' AND new.completed_at_ms IS NOT NULL AND new.reason IN ('return', 'other') BEGIN
  INSERT INTO sales_day_changes SELECT new.completed_at_ms, 0, 0, 0, 0, 0, 0, new.amount_cents FROM orders
  WHERE id = new.order_id AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
END;

-- The phone number of a deleted account is erased once no more money can move.
DROP TRIGGER payments_final;
CREATE TRIGGER payments_final AFTER UPDATE OF next_check_at_ms ON payments
WHEN new.phone IS NOT NULL AND new.next_check_at_ms IS NULL
  AND NOT EXISTS (SELECT 1 FROM refunds WHERE payment_id = new.id AND state <> 'done')
  AND EXISTS (SELECT 1 FROM orders WHERE id = new.order_id AND user_id = 'deleted') BEGIN
  UPDATE payments SET phone = NULL WHERE id = new.id;
END;

CREATE TRIGGER refunds_final AFTER UPDATE OF state ON refunds WHEN new.state = 'done'
  AND EXISTS (SELECT 1 FROM orders WHERE id = new.order_id AND user_id = 'deleted') BEGIN
  UPDATE payments SET phone = NULL WHERE id = new.payment_id AND next_check_at_ms IS NULL
    AND NOT EXISTS (SELECT 1 FROM refunds WHERE payment_id = new.payment_id AND state <> 'done');
END;
