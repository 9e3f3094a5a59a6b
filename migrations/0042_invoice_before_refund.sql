-- Before this migration, a payment received between the lowering of an order's total and the completion of that
-- refund had no invoice, because the billed sum still seemed to cover it. Now, open refunds of a lower total count
-- as subtracted. Such a payment bills its share of the whole order, and the credit note then subtracts the
-- difference between all documents and the order.
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
      orders.subtotal_cents - coalesce(counted.subtotal_cents, 0) AS subtotal_cents,
      orders.discount_cents - coalesce(counted.discount_cents, 0) AS discount_cents,
      orders.shipping_cents - coalesce(counted.shipping_cents, 0) AS shipping_cents,
      orders.vat_cents - coalesce(counted.vat_cents, 0) AS vat_cents
    FROM payments JOIN (
      SELECT *, (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id AND state <> 'done'
        AND reason IN ('order_edited', 'exchange')) AS lowered_cents
      FROM orders
    ) orders ON orders.id = payments.order_id
      LEFT JOIN order_documents billed ON billed.order_id = orders.id AND billed.kind = 'billed'
      LEFT JOIN order_documents counted ON counted.order_id = orders.id AND counted.kind = 'billed' AND lowered_cents = 0
    WHERE payments.state = 'settled' AND orders.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
      AND NOT EXISTS (SELECT 1 FROM invoices WHERE payment_id = payments.id AND kind = 'invoice')
  )
  WHERE due_cents > 0 AND amount_cents > 0
);
