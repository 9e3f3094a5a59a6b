-- The office lists delivered orders that aren't fully paid.
-- The sum of refunds that reduce what the order costs (`isCredit` in src/shared/payments/refunds.ts).
ALTER TABLE orders ADD COLUMN credit_refund_cents integer DEFAULT 0 NOT NULL;
UPDATE orders SET credit_refund_cents = (
  SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id AND reason IN ('order_cancelled', 'return', 'other')
) WHERE refund_cents > 0;

DROP TRIGGER refunds_sum;
CREATE TRIGGER refunds_sum AFTER INSERT ON refunds BEGIN
  UPDATE orders SET refund_cents = refund_cents + new.amount_cents,
    credit_refund_cents = credit_refund_cents + iif(new.reason IN ('order_cancelled', 'return', 'other'), new.amount_cents, 0),
    is_refunded = paid_cents <= refund_cents + new.amount_cents
      AND (cash_on_delivery = 0 OR total_cents <= credited_cents
        + (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = new.order_id AND reason <> 'not_collected'))
  WHERE id = new.order_id;
END;

CREATE INDEX orders_delivered_due ON orders (status, created_at_ms, number)
WHERE status = 'delivered' AND max(total_cents - credited_cents - credit_refund_cents, 0) > paid_cents - refund_cents;
