-- The refund of a lower total subtracts exactly that difference. Before, it was compared with documents that other
-- refunds had already lowered, so it also subtracted delivery. A refund that subtracts the last of an order's
-- documents subtracts the rest of each sum, so that each becomes 0.
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
          billed.total_cents - orders.total_cents, documented.total_cents) AS whole_cents,
        coalesce(returned.subtotal_cents, billed.subtotal_cents - orders.subtotal_cents, documented.subtotal_cents) AS subtotal_cents,
        coalesce(returned.discount_cents, billed.discount_cents - orders.discount_cents, documented.discount_cents) AS discount_cents,
        coalesce(returned.shipping_cents, billed.shipping_cents - orders.shipping_cents, documented.shipping_cents) AS shipping_cents,
        coalesce(returned.vat_cents, billed.vat_cents - orders.vat_cents, documented.vat_cents) AS vat_cents
      FROM refunds JOIN payments ON payments.id = refunds.payment_id JOIN orders ON orders.id = refunds.order_id
        JOIN order_documents documented ON documented.order_id = orders.id AND documented.kind = 'all'
        LEFT JOIN order_documents billed ON billed.order_id = orders.id AND billed.kind = 'billed'
          AND refunds.reason IN ('order_edited', 'exchange') AND billed.total_cents > orders.total_cents
          AND refunds.amount_cents < documented.total_cents
        LEFT JOIN returned_goods returned ON returned.return_id = refunds.return_id AND returned.subtotal_cents > 0
          AND refunds.amount_cents < documented.total_cents
      WHERE refunds.state = 'done' AND refunds.reason NOT IN ('extra_payment', 'late_payment') AND documented.total_cents > 0
        AND NOT EXISTS (SELECT 1 FROM invoices WHERE refund_id = refunds.id)
    )
  )
);

-- The shares of a credit note also add up if the order has several invoices, whose lines have the same positions.
-- Units count as returned once everything is refunded, whatever the number of invoices and refunds. The units of
-- returns count when they arrive.
DROP TRIGGER figure_items_credited;
CREATE TRIGGER figure_items_credited AFTER INSERT ON invoices WHEN new.kind = 'credit_note' AND NOT EXISTS (
  SELECT 1 FROM refunds JOIN returned_goods ON returned_goods.return_id = refunds.return_id
  WHERE refunds.id = new.refund_id AND subtotal_cents > 0) BEGIN
  INSERT INTO figure_item_changes SELECT new.issued_at_ms, item_id, title, size,
    iif((SELECT sum(total_cents) FROM invoices WHERE order_id = new.order_id) = 0 AND NOT EXISTS (
      SELECT 1 FROM invoices note JOIN invoice_lines back ON back.kind = note.kind AND back.number = note.number
      WHERE note.order_id = new.order_id AND note.kind = 'credit_note'), -qty, 0), 0,
    coalesce(CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * sum(net_cents) OVER (ORDER BY invoiced.number, position)
      / sum(net_cents) OVER ()) AS integer)
    - CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * (sum(net_cents) OVER (ORDER BY invoiced.number, position) - net_cents)
      / sum(net_cents) OVER ()) AS integer), 0)
  FROM invoices invoiced JOIN invoice_lines ON invoice_lines.kind = 'invoice' AND invoice_lines.number = invoiced.number
  WHERE invoiced.order_id = new.order_id AND invoiced.kind = 'invoice';
END;
