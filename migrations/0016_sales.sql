-- Sales and refunds, which triggers count as they change, so that reports read no orders. An order counts on the
-- day it was placed, while it is paid and not cancelled. Days are the shop's, three hours ahead of UTC.
CREATE TABLE sales_days (
  day text PRIMARY KEY NOT NULL,
  orders integer DEFAULT 0 NOT NULL,
  subtotal_cents integer DEFAULT 0 NOT NULL,
  discount_cents integer DEFAULT 0 NOT NULL,
  shipping_cents integer DEFAULT 0 NOT NULL,
  vat_cents integer DEFAULT 0 NOT NULL,
  total_cents integer DEFAULT 0 NOT NULL,
  refunded_cents integer DEFAULT 0 NOT NULL
) WITHOUT ROWID;

-- Units of each item per period: `day 2026-11-21`, `week 2026-11-16` (from a Monday) or `month 2026-11`.
CREATE TABLE sales_items (
  period text NOT NULL,
  item_id integer NOT NULL,
  title text NOT NULL,
  size text,
  units integer NOT NULL,
  PRIMARY KEY (period, item_id)
) WITHOUT ROWID;

CREATE INDEX sales_items_units ON sales_items (period, units);

INSERT INTO sales_days (day, orders, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents)
SELECT date(created_at_ms / 1000, 'unixepoch', '+3 hours') AS day, count(*), sum(subtotal_cents), sum(discount_cents),
  sum(shipping_cents), sum(vat_cents), sum(total_cents)
FROM orders WHERE status NOT IN ('awaiting_payment', 'expired', 'cancelled') GROUP BY day;

INSERT INTO sales_days (day, refunded_cents)
SELECT date(refunded_at_ms / 1000, 'unixepoch', '+3 hours') AS day, sum(amount_cents)
FROM payments WHERE refund_state = 'done' AND refunded_at_ms IS NOT NULL GROUP BY day
ON CONFLICT (day) DO UPDATE SET refunded_cents = excluded.refunded_cents;

INSERT INTO sales_items (period, item_id, title, size, units)
SELECT period.value, product_id, title, size, sum(qty)
FROM orders JOIN order_lines ON order_lines.order_id = orders.id, json_each(json_array(
  'day ' || date(created_at_ms / 1000, 'unixepoch', '+3 hours'),
  'week ' || date(created_at_ms / 1000, 'unixepoch', '+3 hours', '-6 days', 'weekday 1'),
  'month ' || strftime('%Y-%m', created_at_ms / 1000, 'unixepoch', '+3 hours'))) period
WHERE status NOT IN ('awaiting_payment', 'expired', 'cancelled') GROUP BY period.value, product_id;

-- The triggers below insert into this view. `orders` is 1 for an order that becomes sold, and -1 for one that no
-- longer is.
CREATE VIEW sales_day_changes AS SELECT 0 AS at_ms, 0 AS orders, 0 AS subtotal_cents, 0 AS discount_cents,
  0 AS shipping_cents, 0 AS vat_cents, 0 AS total_cents, 0 AS refunded_cents;

CREATE TRIGGER sales_days_change INSTEAD OF INSERT ON sales_day_changes BEGIN
  INSERT INTO sales_days VALUES (date(new.at_ms / 1000, 'unixepoch', '+3 hours'), new.orders, new.orders * new.subtotal_cents,
    new.orders * new.discount_cents, new.orders * new.shipping_cents, new.orders * new.vat_cents,
    new.orders * new.total_cents, new.refunded_cents)
  ON CONFLICT (day) DO UPDATE SET orders = orders + excluded.orders,
    subtotal_cents = subtotal_cents + excluded.subtotal_cents, discount_cents = discount_cents + excluded.discount_cents,
    shipping_cents = shipping_cents + excluded.shipping_cents, vat_cents = vat_cents + excluded.vat_cents,
    total_cents = total_cents + excluded.total_cents, refunded_cents = refunded_cents + excluded.refunded_cents;
END;

CREATE VIEW sales_item_changes AS SELECT 0 AS at_ms, 0 AS item_id, '' AS title, '' AS size, 0 AS units;

CREATE TRIGGER sales_items_change INSTEAD OF INSERT ON sales_item_changes BEGIN
  INSERT INTO sales_items (period, item_id, title, size, units)
  SELECT value, new.item_id, new.title, new.size, new.units FROM json_each(json_array(
    'day ' || date(new.at_ms / 1000, 'unixepoch', '+3 hours'),
    'week ' || date(new.at_ms / 1000, 'unixepoch', '+3 hours', '-6 days', 'weekday 1'),
    'month ' || strftime('%Y-%m', new.at_ms / 1000, 'unixepoch', '+3 hours')))
  WHERE true
  ON CONFLICT (period, item_id) DO UPDATE SET units = units + excluded.units, title = excluded.title, size = excluded.size;
END;

CREATE TRIGGER sales_order_insert AFTER INSERT ON orders
WHEN new.status NOT IN ('awaiting_payment', 'expired', 'cancelled') BEGIN
  INSERT INTO sales_day_changes VALUES (new.created_at_ms, 1, new.subtotal_cents, new.discount_cents, new.shipping_cents,
    new.vat_cents, new.total_cents, 0);
END;

CREATE TRIGGER sales_order_update AFTER UPDATE OF status ON orders
WHEN (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled')) BEGIN
  INSERT INTO sales_day_changes VALUES (new.created_at_ms,
    iif(new.status IN ('awaiting_payment', 'expired', 'cancelled'), -1, 1), new.subtotal_cents, new.discount_cents,
    new.shipping_cents, new.vat_cents, new.total_cents, 0);
  INSERT INTO sales_item_changes SELECT new.created_at_ms, product_id, title, size,
    iif(new.status IN ('awaiting_payment', 'expired', 'cancelled'), -qty, qty)
  FROM order_lines WHERE order_id = new.id;
END;

CREATE TRIGGER sales_order_delete AFTER DELETE ON orders
WHEN old.status NOT IN ('awaiting_payment', 'expired', 'cancelled') BEGIN
  INSERT INTO sales_day_changes VALUES (old.created_at_ms, -1, old.subtotal_cents, old.discount_cents, old.shipping_cents,
    old.vat_cents, old.total_cents, 0);
END;

CREATE TRIGGER sales_line_insert AFTER INSERT ON order_lines BEGIN
  INSERT INTO sales_item_changes SELECT created_at_ms, new.product_id, new.title, new.size, new.qty FROM orders
  WHERE id = new.order_id AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
END;

CREATE TRIGGER sales_line_delete AFTER DELETE ON order_lines BEGIN
  INSERT INTO sales_item_changes SELECT created_at_ms, old.product_id, old.title, old.size, -old.qty FROM orders
  WHERE id = old.order_id AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
END;

CREATE TRIGGER sales_refund_insert AFTER INSERT ON payments
WHEN new.refund_state = 'done' AND new.refunded_at_ms IS NOT NULL BEGIN
  INSERT INTO sales_day_changes VALUES (new.refunded_at_ms, 0, 0, 0, 0, 0, 0, new.amount_cents);
END;

CREATE TRIGGER sales_refund_update AFTER UPDATE OF refund_state ON payments
WHEN new.refund_state = 'done' AND old.refund_state IS NOT 'done' AND new.refunded_at_ms IS NOT NULL BEGIN
  INSERT INTO sales_day_changes VALUES (new.refunded_at_ms, 0, 0, 0, 0, 0, 0, new.amount_cents);
END;

-- The phone number of a deleted account is erased once no more money can move. This trigger exists because a
-- search for such payments would read all orders.
CREATE TRIGGER payments_final AFTER UPDATE OF next_check_at_ms, refund_state ON payments
WHEN new.phone IS NOT NULL AND new.next_check_at_ms IS NULL
  AND (new.refund_state IS NULL OR new.refund_state NOT IN ('due', 'requested', 'by_hand'))
  AND EXISTS (SELECT 1 FROM orders WHERE id = new.order_id AND user_id = 'deleted') BEGIN
  UPDATE payments SET phone = NULL WHERE id = new.id;
END;

-- Indexes for the scheduled run, the office and the export of an account, so that none of them reads a whole
-- table.
CREATE INDEX outbox_sent ON outbox (sent_at_ms) WHERE status = 'sent';
CREATE INDEX outbox_subject ON outbox (subject_id);
CREATE INDEX outbox_recipient_name ON outbox (lower(recipient));
CREATE INDEX outbox_reply ON outbox (lower(reply_to)) WHERE reply_to IS NOT NULL;
CREATE INDEX contact_messages_email ON contact_messages (lower(email));
CREATE INDEX password_resets_expiry ON password_resets (expires_at_ms);
CREATE INDEX users_created ON users (created_at_ms);
-- Because these indexes contain the status, SQLite prefers them to the index of all orders with a status.
DROP INDEX orders_expiring;
CREATE INDEX orders_expiring ON orders (status, expires_at_ms) WHERE status = 'awaiting_payment';
CREATE INDEX orders_awaiting ON orders (status, user_id) WHERE status = 'awaiting_payment';
CREATE INDEX orders_named ON orders (created_at_ms, id) WHERE first_name <> '';
