-- Cash that was recorded with a delivery and reversed with its undo (a refund with the reason `not_collected`) isn't a
-- sale. An order paid on delivery counts from the first payment that wasn't reversed.
ALTER TABLE orders ADD COLUMN first_paid_at_ms integer;

-- Takes the orders that have reversed cash out of the sums. They're counted again below.
INSERT INTO sales_day_changes SELECT at_ms, -1, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, -credited_cents
FROM orders JOIN order_sales ON order_id = id
WHERE is_sold AND cash_on_delivery = 1 AND id IN (SELECT order_id FROM refunds WHERE reason = 'not_collected');
INSERT INTO sales_item_changes SELECT at_ms, product_id, title, size, -qty
FROM orders JOIN order_sales ON order_sales.order_id = orders.id JOIN order_lines ON order_lines.order_id = orders.id
WHERE is_sold AND cash_on_delivery = 1 AND orders.id IN (SELECT order_id FROM refunds WHERE reason = 'not_collected');

UPDATE orders SET first_paid_at_ms = (SELECT min(coalesce(ended_at_ms, created_at_ms)) FROM payments
  WHERE order_id = orders.id AND +state = 'settled'
    AND NOT EXISTS (SELECT 1 FROM refunds WHERE payment_id = payments.id AND reason = 'not_collected'))
WHERE paid_cents > 0;

DROP VIEW order_sales;
CREATE VIEW order_sales AS
SELECT id AS order_id,
  status NOT IN ('awaiting_payment', 'expired', 'cancelled') AND (cash_on_delivery = 0 OR first_paid_at_ms IS NOT NULL) AS is_sold,
  iif(cash_on_delivery, coalesce(first_paid_at_ms, created_at_ms), created_at_ms) AS at_ms
FROM orders;

INSERT INTO sales_day_changes SELECT at_ms, 1, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, credited_cents
FROM orders JOIN order_sales ON order_id = id
WHERE is_sold AND cash_on_delivery = 1 AND id IN (SELECT order_id FROM refunds WHERE reason = 'not_collected');
INSERT INTO sales_item_changes SELECT at_ms, product_id, title, size, qty
FROM orders JOIN order_sales ON order_sales.order_id = orders.id JOIN order_lines ON order_lines.order_id = orders.id
WHERE is_sold AND cash_on_delivery = 1 AND orders.id IN (SELECT order_id FROM refunds WHERE reason = 'not_collected');

CREATE TRIGGER first_payment_insert AFTER INSERT ON payments WHEN new.state = 'settled' BEGIN
  UPDATE orders SET first_paid_at_ms = coalesce(new.ended_at_ms, new.created_at_ms)
  WHERE id = new.order_id AND first_paid_at_ms IS NULL;
END;
CREATE TRIGGER first_payment_settle AFTER UPDATE OF state ON payments WHEN new.state = 'settled' AND old.state <> 'settled' BEGIN
  UPDATE orders SET first_paid_at_ms = coalesce(new.ended_at_ms, new.created_at_ms)
  WHERE id = new.order_id AND first_paid_at_ms IS NULL;
END;
CREATE TRIGGER first_payment_reverse AFTER INSERT ON refunds WHEN new.reason = 'not_collected' BEGIN
  UPDATE orders SET first_paid_at_ms = (SELECT min(coalesce(ended_at_ms, created_at_ms)) FROM payments
    WHERE order_id = new.order_id AND +state = 'settled'
      AND NOT EXISTS (SELECT 1 FROM refunds WHERE payment_id = payments.id AND reason = 'not_collected'))
  WHERE id = new.order_id;
END;

DROP TRIGGER sales_order_update;
CREATE TRIGGER sales_order_update AFTER UPDATE OF status, first_paid_at_ms, subtotal_cents, discount_cents, shipping_cents, vat_cents,
  total_cents, credited_cents ON orders
WHEN (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'))
  OR new.cash_on_delivery = 1 AND old.first_paid_at_ms IS NOT new.first_paid_at_ms
  OR new.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
    AND (new.subtotal_cents, new.discount_cents, new.shipping_cents, new.vat_cents, new.total_cents, new.credited_cents)
      <> (old.subtotal_cents, old.discount_cents, old.shipping_cents, old.vat_cents, old.total_cents, old.credited_cents) BEGIN
  INSERT INTO sales_day_changes SELECT iif(old.cash_on_delivery, old.first_paid_at_ms, old.created_at_ms), -1, old.subtotal_cents,
    old.discount_cents, old.shipping_cents, old.vat_cents, old.total_cents, -old.credited_cents
  WHERE old.status NOT IN ('awaiting_payment', 'expired', 'cancelled') AND (old.cash_on_delivery = 0 OR old.first_paid_at_ms IS NOT NULL);
  INSERT INTO sales_day_changes SELECT at_ms, 1, new.subtotal_cents, new.discount_cents, new.shipping_cents,
    new.vat_cents, new.total_cents, new.credited_cents
  FROM order_sales WHERE order_id = new.id AND is_sold;
  INSERT INTO sales_item_changes SELECT iif(old.cash_on_delivery, old.first_paid_at_ms, old.created_at_ms), product_id, title, size, -qty
  FROM order_lines WHERE order_id = new.id
    AND old.status NOT IN ('awaiting_payment', 'expired', 'cancelled') AND (old.cash_on_delivery = 0 OR old.first_paid_at_ms IS NOT NULL)
    AND (new.status IN ('awaiting_payment', 'expired', 'cancelled') OR old.first_paid_at_ms IS NOT new.first_paid_at_ms);
  INSERT INTO sales_item_changes SELECT at_ms, product_id, title, size, qty
  FROM order_sales JOIN order_lines ON order_lines.order_id = order_sales.order_id WHERE order_sales.order_id = new.id AND is_sold
    AND (old.status IN ('awaiting_payment', 'expired', 'cancelled') OR old.first_paid_at_ms IS NOT new.first_paid_at_ms);
  INSERT INTO sales_day_changes SELECT completed_at_ms, 0, 0, 0, 0, 0, 0,
    iif(new.status IN ('awaiting_payment', 'expired', 'cancelled'), -amount_cents, amount_cents)
  FROM refunds WHERE order_id = new.id AND state = 'done' AND completed_at_ms IS NOT NULL AND reason IN ('return', 'other')
    AND (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'));
END;

DROP TRIGGER sales_order_delete;
CREATE TRIGGER sales_order_delete BEFORE DELETE ON orders BEGIN
  INSERT INTO sales_day_changes SELECT at_ms, -1, old.subtotal_cents, old.discount_cents, old.shipping_cents,
    old.vat_cents, old.total_cents, -old.credited_cents
  FROM order_sales WHERE order_id = old.id AND is_sold;
END;

-- The sales by invoice count an order with its first invoice whose cash wasn't reversed. Reversed cash credits the items of its own
-- invoice, and later credit notes those of the others.
DROP TRIGGER figure_days_change;
CREATE TRIGGER figure_days_change AFTER INSERT ON invoices BEGIN
  INSERT INTO figure_days SELECT date(new.issued_at_ms / 1000, 'unixepoch', '+3 hours'), value,
    iif((new.kind = 'invoice' OR EXISTS (SELECT 1 FROM refunds WHERE id = new.refund_id AND reason = 'not_collected'))
      AND NOT EXISTS (SELECT 1 FROM invoices other WHERE order_id = new.order_id AND kind = 'invoice' AND payment_id <> new.payment_id
        AND NOT EXISTS (SELECT 1 FROM refunds WHERE payment_id = other.payment_id AND reason = 'not_collected')),
      iif(new.kind = 'invoice', 1, -1), 0),
    iif(new.kind = 'invoice', new.subtotal_cents, 0), iif(new.kind = 'invoice', new.discount_cents, 0),
    iif(new.kind = 'invoice', 0, new.discount_cents - new.subtotal_cents), new.shipping_cents, new.vat_cents, new.rounding_cents,
    new.total_cents, iif(new.kind = 'invoice', 0, -new.total_cents)
  FROM json_each(json_array('', new.method)) WHERE true
  ON CONFLICT (method, day) DO UPDATE SET orders = orders + excluded.orders, gross_cents = gross_cents + excluded.gross_cents,
    discount_cents = discount_cents + excluded.discount_cents, returned_cents = returned_cents + excluded.returned_cents,
    shipping_cents = shipping_cents + excluded.shipping_cents, vat_cents = vat_cents + excluded.vat_cents,
    rounding_cents = rounding_cents + excluded.rounding_cents, total_cents = total_cents + excluded.total_cents,
    refunded_cents = refunded_cents + excluded.refunded_cents;
END;

DROP TRIGGER figure_items_credited;
CREATE TRIGGER figure_items_credited AFTER INSERT ON invoices WHEN new.kind = 'credit_note' AND NOT EXISTS (
  SELECT 1 FROM refunds JOIN returned_goods ON returned_goods.return_id = refunds.return_id
  WHERE refunds.id = new.refund_id AND subtotal_cents > 0) BEGIN
  INSERT INTO figure_item_changes SELECT new.issued_at_ms, item_id, title, size,
    iif(EXISTS (SELECT 1 FROM refunds WHERE id = new.refund_id AND reason = 'not_collected')
      OR (SELECT sum(total_cents) FROM invoices WHERE order_id = new.order_id) = 0 AND NOT EXISTS (
        SELECT 1 FROM invoices note CROSS JOIN invoice_lines back ON back.kind = note.kind AND back.number = note.number
        WHERE note.order_id = new.order_id AND note.kind = 'credit_note'), -qty, 0), 0,
    coalesce(CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * sum(net_cents) OVER (ORDER BY invoiced.number, position)
      / sum(net_cents) OVER ()) AS integer)
    - CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * (sum(net_cents) OVER (ORDER BY invoiced.number, position) - net_cents)
      / sum(net_cents) OVER ()) AS integer), 0)
  FROM invoices invoiced CROSS JOIN invoice_lines ON invoice_lines.kind = 'invoice' AND invoice_lines.number = invoiced.number
  WHERE invoiced.order_id = new.order_id AND invoiced.kind = 'invoice'
    AND iif(EXISTS (SELECT 1 FROM refunds WHERE id = new.refund_id AND reason = 'not_collected'), invoiced.payment_id = new.payment_id,
      NOT EXISTS (SELECT 1 FROM refunds WHERE payment_id = invoiced.payment_id AND reason = 'not_collected'));
END;

INSERT INTO figure_days (day, method, orders)
SELECT date(issued_at_ms / 1000, 'unixepoch', '+3 hours'), value, -1
FROM refunds JOIN invoices undone ON undone.payment_id = refunds.payment_id AND undone.kind = 'invoice', json_each(json_array('', undone.method))
WHERE refunds.reason = 'not_collected'
  AND NOT EXISTS (SELECT 1 FROM invoices WHERE order_id = undone.order_id AND kind = 'invoice' AND number < undone.number)
ON CONFLICT (method, day) DO UPDATE SET orders = orders + excluded.orders;
INSERT INTO figure_days (day, method, orders)
SELECT date(issued_at_ms / 1000, 'unixepoch', '+3 hours'), value, 1 FROM (
  SELECT *, row_number() OVER (PARTITION BY order_id ORDER BY number) AS nth,
    (SELECT min(number) FROM invoices WHERE order_id = kept.order_id AND kind = 'invoice') AS first_number
  FROM invoices kept WHERE kind = 'invoice' AND order_id IN (SELECT order_id FROM refunds WHERE reason = 'not_collected')
    AND payment_id NOT IN (SELECT payment_id FROM refunds WHERE reason = 'not_collected')
) kept, json_each(json_array('', kept.method))
WHERE nth = 1 AND number > first_number
ON CONFLICT (method, day) DO UPDATE SET orders = orders + excluded.orders;

-- Until now, a credit note that left nothing invoiced took away the units of reversed invoices again.
INSERT INTO figure_item_changes
SELECT note.issued_at_ms, item_id, title, size, qty, 0, 0
FROM refunds CROSS JOIN invoices reversal ON reversal.refund_id = refunds.id
  CROSS JOIN invoices undone ON undone.payment_id = refunds.payment_id AND undone.kind = 'invoice'
  CROSS JOIN invoices note ON note.order_id = refunds.order_id AND note.kind = 'credit_note' AND note.number > reversal.number
  CROSS JOIN invoice_lines ON invoice_lines.kind = 'invoice' AND invoice_lines.number = undone.number
WHERE refunds.reason = 'not_collected'
  AND (SELECT sum(total_cents) FROM invoices WHERE order_id = note.order_id AND rowid <= note.rowid) = 0
  AND NOT EXISTS (SELECT 1 FROM invoices returned CROSS JOIN invoice_lines back ON back.kind = returned.kind AND back.number = returned.number
    WHERE returned.order_id = note.order_id AND returned.kind = 'credit_note');
