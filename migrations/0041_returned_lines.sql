-- The credit note of a return names the returned lines, with their own share of the discount and their own VAT. A
-- refund of less than they cost credits its share of each sum. A refund that belongs to no return credits its
-- share of everything invoiced.
ALTER TABLE refunds ADD COLUMN return_id text;

CREATE VIEW returned_goods AS
SELECT return_id, subtotal_cents, discount_cents, shipping_cents,
  CAST(round((subtotal_cents - discount_cents) * vat_percent / 100.0) AS integer) AS vat_cents
FROM (
  SELECT order_returns.id AS return_id, orders.vat_percent, sum(unit_price_cents * qty) AS subtotal_cents,
    coalesce(CAST(round(1.0 * orders.discount_cents * sum(unit_price_cents * qty) / orders.subtotal_cents) AS integer), 0) AS discount_cents,
    iif(refunds_shipping, orders.shipping_cents, 0) AS shipping_cents
  FROM order_returns JOIN orders ON orders.id = order_returns.order_id JOIN return_lines ON return_lines.return_id = order_returns.id
  GROUP BY order_returns.id
);

DROP VIEW refunds_to_credit;
CREATE VIEW refunds_to_credit AS
SELECT refund_id, payment_id, order_id, at_ms, method, vat_percent, subtotal_cents, discount_cents, shipping_cents, vat_cents,
  total_cents, total_cents - (subtotal_cents - discount_cents + shipping_cents + vat_cents) AS rounding_cents
FROM (
  SELECT refund_id, payment_id, order_id, at_ms, method, vat_percent, -credit_cents AS total_cents,
    -CAST(round(1.0 * subtotal_cents * credit_cents / base_cents) AS integer) AS subtotal_cents,
    -CAST(round(1.0 * discount_cents * credit_cents / base_cents) AS integer) AS discount_cents,
    -CAST(round(1.0 * shipping_cents * credit_cents / base_cents) AS integer) AS shipping_cents,
    -CAST(round(1.0 * vat_cents * credit_cents / base_cents) AS integer) AS vat_cents
  FROM (
    -- Refunds are in whole shillings.
    SELECT *, iif(return_id IS NOT NULL AND abs(whole_cents - credit_cents) < 100, credit_cents, whole_cents) AS base_cents FROM (
      SELECT refunds.id AS refund_id, refunds.payment_id, orders.id AS order_id, orders.vat_percent, returned.return_id,
        coalesce(refunds.completed_at_ms, refunds.created_at_ms) AS at_ms,
        coalesce(payments.manual_type, payments.provider) AS method,
        min(refunds.amount_cents, documented.total_cents) AS credit_cents,
        coalesce(returned.subtotal_cents - returned.discount_cents + returned.shipping_cents + returned.vat_cents,
          documented.total_cents - coalesce(lowered.total_cents, 0)) AS whole_cents,
        coalesce(returned.subtotal_cents, documented.subtotal_cents - coalesce(lowered.subtotal_cents, 0)) AS subtotal_cents,
        coalesce(returned.discount_cents, documented.discount_cents - coalesce(lowered.discount_cents, 0)) AS discount_cents,
        coalesce(returned.shipping_cents, documented.shipping_cents - coalesce(lowered.shipping_cents, 0)) AS shipping_cents,
        coalesce(returned.vat_cents, documented.vat_cents - coalesce(lowered.vat_cents, 0)) AS vat_cents
      FROM refunds JOIN payments ON payments.id = refunds.payment_id JOIN orders ON orders.id = refunds.order_id
        JOIN order_documents documented ON documented.order_id = orders.id AND documented.kind = 'all'
        LEFT JOIN orders lowered ON lowered.id = refunds.order_id AND refunds.reason IN ('order_edited', 'exchange')
          AND lowered.total_cents < documented.total_cents
        LEFT JOIN returned_goods returned ON returned.return_id = refunds.return_id AND returned.subtotal_cents > 0
      WHERE refunds.state = 'done' AND refunds.reason NOT IN ('extra_payment', 'late_payment') AND documented.total_cents > 0
        AND NOT EXISTS (SELECT 1 FROM invoices WHERE refund_id = refunds.id)
    )
  )
);

DROP TRIGGER figure_items_sold;
CREATE TRIGGER figure_items_sold AFTER INSERT ON invoice_lines WHEN new.kind = 'invoice' BEGIN
  INSERT INTO figure_item_changes SELECT issued_at_ms, new.item_id, new.title, new.size, new.qty, new.net_cents, 0
  FROM invoices WHERE kind = new.kind AND number = new.number;
END;
-- If a return is refunded in parts, its units count as returned only once.
CREATE TRIGGER figure_items_returned AFTER INSERT ON invoice_lines WHEN new.kind = 'credit_note' BEGIN
  INSERT INTO figure_item_changes SELECT issued_at_ms, new.item_id, new.title, new.size,
    iif((SELECT count(*) FROM refunds JOIN refunds part ON part.order_id = refunds.order_id AND part.return_id = refunds.return_id
      JOIN invoices note ON note.refund_id = part.id WHERE refunds.id = invoices.refund_id) = 1, -new.qty, 0), 0, -new.net_cents
  FROM invoices WHERE kind = new.kind AND number = new.number;
END;

DROP TRIGGER figure_items_credited;
CREATE TRIGGER figure_items_credited AFTER INSERT ON invoices WHEN new.kind = 'credit_note' AND NOT EXISTS (
  SELECT 1 FROM refunds JOIN returned_goods ON returned_goods.return_id = refunds.return_id
  WHERE refunds.id = new.refund_id AND subtotal_cents > 0) BEGIN
  INSERT INTO figure_item_changes SELECT new.issued_at_ms, item_id, title, size,
    iif(new.total_cents + invoiced.total_cents = 0, -qty, 0), 0,
    coalesce(CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * sum(net_cents) OVER (ORDER BY position)
      / sum(net_cents) OVER ()) AS integer)
    - CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * (sum(net_cents) OVER (ORDER BY position) - net_cents)
      / sum(net_cents) OVER ()) AS integer), 0)
  FROM invoices invoiced JOIN invoice_lines ON invoice_lines.kind = 'invoice' AND invoice_lines.number = invoiced.number
  WHERE invoiced.order_id = new.order_id AND invoiced.kind = 'invoice';
END;

DROP TRIGGER credit_note_issue;
CREATE TRIGGER credit_note_issue INSTEAD OF INSERT ON credit_note_requests
WHEN EXISTS (SELECT 1 FROM refunds_to_credit WHERE refund_id = new.refund_id) BEGIN
  INSERT INTO invoice_numbers VALUES ('credit_note', 1) ON CONFLICT (kind) DO UPDATE SET last = last + 1;
  INSERT INTO invoices SELECT 'credit_note', (SELECT last FROM invoice_numbers WHERE kind = 'credit_note'), at_ms, order_id,
    payment_id, refund_id, (SELECT max(id) FROM sellers), method, vat_percent, subtotal_cents, discount_cents, shipping_cents,
    vat_cents, rounding_cents, total_cents
  FROM refunds_to_credit WHERE refund_id = new.refund_id;
  -- The share of each line in what is credited for goods. The shares add up to it.
  INSERT INTO invoice_lines
  SELECT kind, number, position, product_id, title, size, qty, unit_price_cents,
    CAST(round(1.0 * net_cents * sum(unit_price_cents * qty) OVER (ORDER BY position) / sum(unit_price_cents * qty) OVER ()) AS integer)
    - CAST(round(1.0 * net_cents * (sum(unit_price_cents * qty) OVER (ORDER BY position) - unit_price_cents * qty)
      / sum(unit_price_cents * qty) OVER ()) AS integer)
  FROM (SELECT invoices.kind, invoices.number, subtotal_cents - discount_cents AS net_cents, return_id FROM invoices
    JOIN refunds ON refunds.id = invoices.refund_id WHERE invoices.refund_id = new.refund_id) note
    JOIN return_lines ON return_lines.return_id = note.return_id
  WHERE unit_price_cents * qty > 0;
END;
