-- What a return takes off the amount due, because its goods weren't paid for. The rest of their value is refunded. Triggers
-- maintain the sum of an order's returns.
ALTER TABLE order_returns ADD COLUMN credited_cents INTEGER DEFAULT 0 NOT NULL;
ALTER TABLE orders ADD COLUMN credited_cents INTEGER DEFAULT 0 NOT NULL;

-- What the goods of a completed return were worth, so that later changes of the order's discount don't change it.
ALTER TABLE order_returns ADD COLUMN goods_value_cents INTEGER DEFAULT 0 NOT NULL;
UPDATE order_returns SET goods_value_cents = (
  SELECT coalesce((total_cents - shipping_cents) * sum(unit_price_cents * qty) / subtotal_cents / 100 * 100, 0)
  FROM orders JOIN return_lines ON return_id = order_returns.id WHERE orders.id = order_id)
WHERE kind = 'return' AND state = 'completed';

-- Nothing is issued for such a credit. It counts as billed, with its share of each sum, so that no later payment bills it.
CREATE TRIGGER returns_credit AFTER UPDATE OF credited_cents ON order_returns WHEN new.credited_cents > old.credited_cents BEGIN
  UPDATE orders SET credited_cents = credited_cents + new.credited_cents - old.credited_cents,
    is_refunded = is_refunded OR paid_cents <= refund_cents AND total_cents <= credited_cents + new.credited_cents - old.credited_cents
      + (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = new.order_id AND reason <> 'not_collected')
  WHERE id = new.order_id;
  INSERT INTO order_documents SELECT new.order_id, 'billed',
    CAST(round(1.0 * subtotal_cents * new.credited_cents / base_cents) AS integer),
    CAST(round(1.0 * discount_cents * new.credited_cents / base_cents) AS integer),
    CAST(round(1.0 * shipping_cents * new.credited_cents / base_cents) AS integer),
    CAST(round(1.0 * vat_cents * new.credited_cents / base_cents) AS integer), new.credited_cents
  FROM (
    -- Credits are in whole shillings.
    SELECT *, iif(abs(whole_cents - new.credited_cents) < 100, new.credited_cents, whole_cents) AS base_cents
    FROM (SELECT *, subtotal_cents - discount_cents + shipping_cents + vat_cents AS whole_cents FROM returned_goods
      WHERE return_id = new.id)
  ) WHERE true
  ON CONFLICT (order_id, kind) DO UPDATE SET subtotal_cents = subtotal_cents + excluded.subtotal_cents,
    discount_cents = discount_cents + excluded.discount_cents, shipping_cents = shipping_cents + excluded.shipping_cents,
    vat_cents = vat_cents + excluded.vat_cents, total_cents = total_cents + excluded.total_cents;
END;

-- Cash that is due again and returned goods that weren't paid for don't have to be refunded.
DROP TRIGGER refunds_sum;
CREATE TRIGGER refunds_sum AFTER INSERT ON refunds BEGIN
  UPDATE orders SET refund_cents = refund_cents + new.amount_cents, is_refunded = paid_cents <= refund_cents + new.amount_cents
    AND (cash_on_delivery = 0 OR total_cents <= credited_cents
      + (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = new.order_id AND reason <> 'not_collected'))
  WHERE id = new.order_id;
END;

-- If earlier payments billed more of one sum than the order still has after a credit, a payment bills its share of the
-- whole order, as it does while a refund of a lower total is open.
DROP VIEW payments_to_invoice;
CREATE VIEW payments_to_invoice AS
SELECT *, total_cents - (subtotal_cents - discount_cents + shipping_cents + vat_cents) AS rounding_cents FROM (
  SELECT payment_id, order_id, at_ms, method, vat_percent, min(amount_cents, due_cents) AS total_cents,
    CAST(round(1.0 * subtotal_cents * min(amount_cents, due_cents) / base_cents) AS integer) AS subtotal_cents,
    CAST(round(1.0 * discount_cents * min(amount_cents, due_cents) / base_cents) AS integer) AS discount_cents,
    CAST(round(1.0 * shipping_cents * min(amount_cents, due_cents) / base_cents) AS integer) AS shipping_cents,
    CAST(round(1.0 * vat_cents * min(amount_cents, due_cents) / base_cents) AS integer) AS vat_cents
  FROM (
    SELECT payments.id AS payment_id, orders.id AS order_id, coalesce(payments.ended_at_ms, payments.created_at_ms) AS at_ms,
      coalesce(payments.manual_type, payments.provider) AS method, orders.vat_percent,
      iif(EXISTS (SELECT 1 FROM invoices WHERE order_id = orders.id AND kind = 'invoice'), payments.amount_cents,
        (SELECT sum(amount_cents) FROM payments paid WHERE paid.order_id = orders.id AND +paid.state = 'settled')
        - (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id
            AND (state = 'done' OR reason IN ('extra_payment', 'late_payment')))) AS amount_cents,
      orders.total_cents - coalesce(billed.total_cents, 0) + lowered_cents AS due_cents,
      orders.total_cents - coalesce(counted.total_cents, 0) AS base_cents,
      -- The sums of several credits are rounded, so that they can exceed the order's by a cent.
      iif(credited_cents > 0, max(orders.subtotal_cents - coalesce(counted.subtotal_cents, 0), 0),
        orders.subtotal_cents - coalesce(counted.subtotal_cents, 0)) AS subtotal_cents,
      orders.discount_cents - coalesce(counted.discount_cents, 0) AS discount_cents,
      iif(credited_cents > 0, max(orders.shipping_cents - coalesce(counted.shipping_cents, 0), 0),
        orders.shipping_cents - coalesce(counted.shipping_cents, 0)) AS shipping_cents,
      iif(credited_cents > 0, max(orders.vat_cents - coalesce(counted.vat_cents, 0), 0),
        orders.vat_cents - coalesce(counted.vat_cents, 0)) AS vat_cents
    FROM payments JOIN (
      SELECT *, (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id AND state <> 'done'
        AND reason IN ('order_edited', 'exchange')) AS lowered_cents
      FROM orders
    ) orders ON orders.id = payments.order_id
      LEFT JOIN order_documents billed ON billed.order_id = orders.id AND billed.kind = 'billed'
      LEFT JOIN order_documents counted ON counted.order_id = orders.id AND counted.kind = 'billed' AND lowered_cents = 0
        AND (credited_cents = 0 OR counted.shipping_cents < orders.shipping_cents + 100 AND counted.vat_cents < orders.vat_cents + 100
          AND counted.subtotal_cents - counted.discount_cents < orders.subtotal_cents - orders.discount_cents + 100)
    WHERE payments.state = 'settled' AND orders.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
      AND NOT EXISTS (SELECT 1 FROM invoices WHERE payment_id = payments.id AND kind = 'invoice')
  )
  WHERE due_cents > 0 AND amount_cents > 0
);

-- The invoice for the rest of an order names the units that it still bills.
CREATE VIEW lines_to_invoice AS
SELECT order_id, position, product_id, title, size, unit_price_cents,
  qty - (SELECT coalesce(sum(back.qty), 0) FROM order_returns CROSS JOIN return_lines back ON back.return_id = order_returns.id
    WHERE order_returns.order_id = order_lines.order_id AND credited_cents > 0 AND back.product_id = order_lines.product_id
      AND back.unit_price_cents = order_lines.unit_price_cents) AS qty
FROM order_lines;

DROP TRIGGER invoice_issue;
CREATE TRIGGER invoice_issue INSTEAD OF INSERT ON invoice_requests
WHEN EXISTS (SELECT 1 FROM payments_to_invoice WHERE payment_id = new.payment_id) BEGIN
  INSERT INTO invoice_numbers VALUES ('invoice', 1) ON CONFLICT (kind) DO UPDATE SET last = last + 1;
  INSERT INTO invoices SELECT 'invoice', (SELECT last FROM invoice_numbers WHERE kind = 'invoice'), at_ms, order_id, payment_id,
    NULL, (SELECT max(id) FROM sellers), method, vat_percent, subtotal_cents, discount_cents, shipping_cents, vat_cents,
    rounding_cents, total_cents
  FROM payments_to_invoice WHERE payment_id = new.payment_id;
  -- The share of the discount of each line. The shares add up to the discount.
  INSERT INTO invoice_lines
  SELECT invoices.kind, invoices.number, position, product_id, title, size, qty, unit_price_cents, unit_price_cents * qty
    - CAST(round(1.0 * discount_cents * sum(unit_price_cents * qty) OVER (ORDER BY position) / subtotal_cents) AS integer)
    + CAST(round(1.0 * discount_cents * (sum(unit_price_cents * qty) OVER (ORDER BY position) - unit_price_cents * qty) / subtotal_cents) AS integer)
  FROM invoices JOIN lines_to_invoice ON lines_to_invoice.order_id = invoices.order_id
  WHERE invoices.kind = 'invoice' AND invoices.payment_id = new.payment_id AND subtotal_cents > 0 AND qty > 0
    AND subtotal_cents = (SELECT sum(unit_price_cents * qty) FROM lines_to_invoice WHERE order_id = invoices.order_id AND qty > 0);
  INSERT INTO invoice_lines SELECT kind, invoices.number, 0, 0, iif(cash_on_delivery, 'Part of the order', coalesce(
      (SELECT 'Exchange of ' || group_concat(title || coalesce(', ' || size, '') || ' for ' || replacement_title
        || coalesce(', ' || replacement_size, ''), '; ')
      FROM return_lines WHERE return_id = (SELECT id FROM order_returns WHERE order_id = invoices.order_id
        AND kind = 'exchange' AND state = 'received' ORDER BY changed_at_ms DESC LIMIT 1)
        AND replacement_price_cents > unit_price_cents),
      'Changes to the order')),
    NULL, 1, invoices.subtotal_cents, invoices.subtotal_cents - invoices.discount_cents
  FROM invoices JOIN orders ON orders.id = order_id WHERE kind = 'invoice' AND payment_id = new.payment_id
    AND NOT EXISTS (SELECT 1 FROM invoice_lines WHERE kind = invoices.kind AND number = invoices.number);
END;

-- In the sales by order, a credit counts like a refund, on the day of its sale.
DROP TRIGGER sales_order_update;
CREATE TRIGGER sales_order_update AFTER UPDATE OF status, paid_cents, subtotal_cents, discount_cents, shipping_cents, vat_cents,
  total_cents, credited_cents
ON orders
WHEN (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'))
  OR new.cash_on_delivery = 1 AND (old.paid_cents > 0) <> (new.paid_cents > 0)
  OR new.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
    AND (new.subtotal_cents, new.discount_cents, new.shipping_cents, new.vat_cents, new.total_cents, new.credited_cents)
      <> (old.subtotal_cents, old.discount_cents, old.shipping_cents, old.vat_cents, old.total_cents, old.credited_cents) BEGIN
  INSERT INTO sales_day_changes SELECT at_ms, -1, old.subtotal_cents, old.discount_cents, old.shipping_cents,
    old.vat_cents, old.total_cents, -old.credited_cents
  FROM order_sales WHERE order_id = new.id AND old.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
    AND (old.cash_on_delivery = 0 OR old.paid_cents > 0);
  INSERT INTO sales_day_changes SELECT at_ms, 1, new.subtotal_cents, new.discount_cents, new.shipping_cents,
    new.vat_cents, new.total_cents, new.credited_cents
  FROM order_sales WHERE order_id = new.id AND is_sold;
  INSERT INTO sales_item_changes SELECT at_ms, product_id, title, size, iif(is_sold, qty, -qty)
  FROM order_sales JOIN order_lines ON order_lines.order_id = order_sales.order_id WHERE order_sales.order_id = new.id
    AND is_sold <> (old.status NOT IN ('awaiting_payment', 'expired', 'cancelled') AND (old.cash_on_delivery = 0 OR old.paid_cents > 0));
  INSERT INTO sales_day_changes SELECT completed_at_ms, 0, 0, 0, 0, 0, 0,
    iif(new.status IN ('awaiting_payment', 'expired', 'cancelled'), -amount_cents, amount_cents)
  FROM refunds WHERE order_id = new.id AND state = 'done' AND completed_at_ms IS NOT NULL AND reason IN ('return', 'other')
    AND (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'));
END;

DROP TRIGGER sales_order_delete;
CREATE TRIGGER sales_order_delete BEFORE DELETE ON orders
WHEN old.status NOT IN ('awaiting_payment', 'expired', 'cancelled') AND (old.cash_on_delivery = 0 OR old.paid_cents > 0) BEGIN
  INSERT INTO sales_day_changes SELECT at_ms, -1, old.subtotal_cents, old.discount_cents, old.shipping_cents,
    old.vat_cents, old.total_cents, -old.credited_cents
  FROM order_sales WHERE order_id = old.id;
END;
