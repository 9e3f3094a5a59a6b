-- An order can be paid in parts before it is placed. Placing it issues a single invoice for everything paid by
-- then.
CREATE INDEX orders_part_paid ON orders (status, created_at_ms) WHERE status = 'awaiting_payment' AND paid_cents > refund_cents;

DROP TRIGGER invoice_order_update;
CREATE TRIGGER invoice_order_update AFTER UPDATE OF status ON orders
WHEN old.status IN ('awaiting_payment', 'expired') AND new.status NOT IN ('awaiting_payment', 'expired', 'cancelled') BEGIN
  INSERT INTO invoice_requests SELECT id FROM payments WHERE order_id = new.id AND +state = 'settled'
    AND amount_cents > (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE payment_id = payments.id)
  ORDER BY ended_at_ms DESC, attempt DESC LIMIT 1;
END;

DROP VIEW payments_to_invoice;
CREATE VIEW payments_to_invoice AS
SELECT *, total_cents - (subtotal_cents - discount_cents + shipping_cents + vat_cents) AS rounding_cents FROM (
  SELECT payment_id, order_id, at_ms, method, vat_percent, min(amount_cents, due_cents) AS total_cents,
    CAST(round(1.0 * subtotal_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS subtotal_cents,
    CAST(round(1.0 * discount_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS discount_cents,
    CAST(round(1.0 * shipping_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS shipping_cents,
    CAST(round(1.0 * vat_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS vat_cents
  FROM (
    SELECT payments.id AS payment_id, orders.id AS order_id, coalesce(payments.ended_at_ms, payments.created_at_ms) AS at_ms,
      coalesce(payments.manual_type, payments.provider) AS method, orders.vat_percent,
      iif(EXISTS (SELECT 1 FROM invoices WHERE order_id = orders.id AND kind = 'invoice'), payments.amount_cents,
        (SELECT sum(amount_cents) FROM payments paid WHERE paid.order_id = orders.id AND +paid.state = 'settled')
        - (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id
            AND (state = 'done' OR reason IN ('extra_payment', 'late_payment')))) AS amount_cents,
      orders.total_cents - coalesce(billed.total_cents, 0) AS due_cents,
      orders.subtotal_cents - coalesce(billed.subtotal_cents, 0) AS subtotal_cents,
      orders.discount_cents - coalesce(billed.discount_cents, 0) AS discount_cents,
      orders.shipping_cents - coalesce(billed.shipping_cents, 0) AS shipping_cents,
      orders.vat_cents - coalesce(billed.vat_cents, 0) AS vat_cents
    FROM payments JOIN orders ON orders.id = payments.order_id
      LEFT JOIN order_documents billed ON billed.order_id = orders.id AND billed.kind = 'billed'
    WHERE payments.state = 'settled' AND orders.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
      AND NOT EXISTS (SELECT 1 FROM invoices WHERE payment_id = payments.id AND kind = 'invoice')
  )
  WHERE due_cents > 0 AND amount_cents > 0
);
