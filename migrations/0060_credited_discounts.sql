-- After other refunds, an order's documents may also have less discount or VAT than a lower total would subtract. Such a refund now
-- subtracts its share of everything that is left. So does one that exceeds the difference to the order's total, because the order
-- changed again.
DROP VIEW refunds_to_credit;
CREATE VIEW refunds_to_credit AS
SELECT refund_id, payment_id, order_id, at_ms, method, vat_percent, subtotal_cents, discount_cents, shipping_cents, vat_cents,
  total_cents, total_cents - (subtotal_cents - discount_cents + shipping_cents + vat_cents) AS rounding_cents
FROM (
  -- The sums of several refunds are rounded, so that they can exceed what is left by some cents.
  SELECT refund_id, payment_id, order_id, at_ms, method, vat_percent, -credit_cents AS total_cents,
    -min(CAST(round(1.0 * subtotal_cents * credit_cents / base_cents) AS integer), left_subtotal_cents) AS subtotal_cents,
    -min(CAST(round(1.0 * discount_cents * credit_cents / base_cents) AS integer), left_discount_cents) AS discount_cents,
    -min(CAST(round(1.0 * shipping_cents * credit_cents / base_cents) AS integer), left_shipping_cents) AS shipping_cents,
    -min(CAST(round(1.0 * vat_cents * credit_cents / base_cents) AS integer), left_vat_cents) AS vat_cents
  FROM (
    -- Refunds are in whole shillings.
    SELECT *, iif(return_id IS NOT NULL AND abs(whole_cents - credit_cents) < 100, credit_cents, whole_cents) AS base_cents FROM (
      SELECT refunds.id AS refund_id, refunds.payment_id, orders.id AS order_id, orders.vat_percent, returned.return_id,
        coalesce(refunds.completed_at_ms, refunds.created_at_ms) AS at_ms,
        coalesce(payments.manual_type, payments.provider) AS method,
        min(refunds.amount_cents, documented.total_cents) AS credit_cents,
        documented.subtotal_cents AS left_subtotal_cents, documented.discount_cents AS left_discount_cents,
        documented.shipping_cents AS left_shipping_cents, documented.vat_cents AS left_vat_cents,
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
          AND refunds.amount_cents < documented.total_cents AND refunds.amount_cents <= billed.total_cents - orders.total_cents
          AND refunds.amount_cents * max(1.0 * (billed.subtotal_cents - billed.discount_cents - orders.subtotal_cents + orders.discount_cents)
              / (documented.subtotal_cents - documented.discount_cents + 100),
            1.0 * (billed.discount_cents - orders.discount_cents) / (documented.discount_cents + 100),
            1.0 * (billed.shipping_cents - orders.shipping_cents) / (documented.shipping_cents + 100)) < billed.total_cents - orders.total_cents
        LEFT JOIN returned_goods returned ON returned.return_id = refunds.return_id AND returned.subtotal_cents > 0
          AND refunds.amount_cents < documented.total_cents
          AND refunds.amount_cents * max(1.0 * returned.subtotal_cents / (documented.subtotal_cents + 100),
            1.0 * returned.shipping_cents / (documented.shipping_cents + 100))
            < (SELECT goods_value_cents + refunds_shipping * orders.shipping_cents FROM order_returns WHERE id = refunds.return_id)
      WHERE refunds.state = 'done' AND refunds.reason NOT IN ('extra_payment', 'late_payment') AND documented.total_cents > 0
        AND NOT EXISTS (SELECT 1 FROM invoices WHERE refund_id = refunds.id)
    )
  )
);

-- A payment that bills its share of the whole order leaves out the shipping that is already billed. If a return took such shipping off
-- the amount due, the next invoice subtracts it.
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
      orders.total_cents - coalesce(counted.total_cents, billed_shipping_cents) AS base_cents,
      -- The sums of several credits are rounded, so that they can exceed the order's by a cent.
      iif(credited_cents > 0, max(orders.subtotal_cents - coalesce(counted.subtotal_cents, 0), 0),
        orders.subtotal_cents - coalesce(counted.subtotal_cents, 0)) AS subtotal_cents,
      orders.discount_cents - coalesce(counted.discount_cents, 0) AS discount_cents,
      max(orders.shipping_cents - coalesce(counted.shipping_cents, billed_shipping_cents), -documented_shipping_cents) AS shipping_cents,
      iif(credited_cents > 0, max(orders.vat_cents - coalesce(counted.vat_cents, 0), 0),
        orders.vat_cents - coalesce(counted.vat_cents, 0)) AS vat_cents
    FROM payments JOIN (
      SELECT *, (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id AND state <> 'done'
        AND reason IN ('order_edited', 'exchange')) AS lowered_cents,
        coalesce((SELECT min(order_documents.shipping_cents, orders.shipping_cents) FROM order_documents
          WHERE order_id = orders.id AND kind = 'billed' AND orders.shipping_cents < orders.total_cents), 0) AS billed_shipping_cents,
        coalesce((SELECT shipping_cents FROM order_documents WHERE order_id = orders.id AND kind = 'all'), 0) AS documented_shipping_cents
      FROM orders
    ) orders ON orders.id = payments.order_id
      LEFT JOIN order_documents billed ON billed.order_id = orders.id AND billed.kind = 'billed'
      LEFT JOIN order_documents counted ON counted.order_id = orders.id AND counted.kind = 'billed' AND lowered_cents = 0
        AND (credited_cents = 0 OR counted.shipping_cents < orders.shipping_cents + documented_shipping_cents + 100
          AND counted.vat_cents < orders.vat_cents + 100
          AND counted.subtotal_cents - counted.discount_cents < orders.subtotal_cents - orders.discount_cents + 100)
    WHERE payments.state = 'settled' AND orders.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
      AND NOT EXISTS (SELECT 1 FROM invoices WHERE payment_id = payments.id AND kind = 'invoice')
  )
  WHERE due_cents > 0 AND amount_cents > 0
);
