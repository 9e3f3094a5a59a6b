-- An order paid on delivery counts as sold once it is paid, on the day of its first payment, like its invoice.
CREATE VIEW order_sales AS
SELECT id AS order_id, status NOT IN ('awaiting_payment', 'expired', 'cancelled') AND (cash_on_delivery = 0 OR paid_cents > 0) AS is_sold,
  coalesce(iif(cash_on_delivery, (SELECT min(ended_at_ms) FROM payments WHERE order_id = orders.id AND +state = 'settled'), NULL),
    created_at_ms) AS at_ms
FROM orders;

-- Until now, these orders counted on the day they were placed, paid or not.
INSERT INTO sales_day_changes SELECT created_at_ms, -1, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, 0
FROM orders WHERE cash_on_delivery = 1 AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
INSERT INTO sales_day_changes SELECT at_ms, 1, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, 0
FROM orders JOIN order_sales ON order_id = id WHERE cash_on_delivery = 1 AND is_sold;
INSERT INTO sales_item_changes SELECT created_at_ms, product_id, title, size, -qty
FROM orders JOIN order_lines ON order_lines.order_id = orders.id
WHERE cash_on_delivery = 1 AND status NOT IN ('awaiting_payment', 'expired', 'cancelled');
INSERT INTO sales_item_changes SELECT at_ms, product_id, title, size, qty
FROM orders JOIN order_sales ON order_sales.order_id = orders.id JOIN order_lines ON order_lines.order_id = orders.id
WHERE cash_on_delivery = 1 AND is_sold;

DROP TRIGGER sales_order_insert;
CREATE TRIGGER sales_order_insert AFTER INSERT ON orders
WHEN new.status NOT IN ('awaiting_payment', 'expired', 'cancelled') AND new.cash_on_delivery = 0 BEGIN
  INSERT INTO sales_day_changes VALUES (new.created_at_ms, 1, new.subtotal_cents, new.discount_cents, new.shipping_cents,
    new.vat_cents, new.total_cents, 0);
END;

DROP TRIGGER sales_order_update;
CREATE TRIGGER sales_order_update AFTER UPDATE OF status, paid_cents, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents
ON orders
WHEN (old.status IN ('awaiting_payment', 'expired', 'cancelled')) <> (new.status IN ('awaiting_payment', 'expired', 'cancelled'))
  OR new.cash_on_delivery = 1 AND (old.paid_cents > 0) <> (new.paid_cents > 0)
  OR new.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
    AND (new.subtotal_cents, new.discount_cents, new.shipping_cents, new.vat_cents, new.total_cents)
      <> (old.subtotal_cents, old.discount_cents, old.shipping_cents, old.vat_cents, old.total_cents) BEGIN
  INSERT INTO sales_day_changes SELECT at_ms, -1, old.subtotal_cents, old.discount_cents, old.shipping_cents,
    old.vat_cents, old.total_cents, 0
  FROM order_sales WHERE order_id = new.id AND old.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
    AND (old.cash_on_delivery = 0 OR old.paid_cents > 0);
  INSERT INTO sales_day_changes SELECT at_ms, 1, new.subtotal_cents, new.discount_cents, new.shipping_cents,
    new.vat_cents, new.total_cents, 0
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
    old.vat_cents, old.total_cents, 0
  FROM order_sales WHERE order_id = old.id;
END;

DROP TRIGGER sales_line_insert;
CREATE TRIGGER sales_line_insert AFTER INSERT ON order_lines BEGIN
  INSERT INTO sales_item_changes SELECT at_ms, new.product_id, new.title, new.size, new.qty
  FROM order_sales WHERE order_id = new.order_id AND is_sold;
END;

DROP TRIGGER sales_line_delete;
CREATE TRIGGER sales_line_delete AFTER DELETE ON order_lines BEGIN
  INSERT INTO sales_item_changes SELECT at_ms, old.product_id, old.title, old.size, -old.qty
  FROM order_sales WHERE order_id = old.order_id AND is_sold;
END;

DROP TRIGGER sales_line_update;
CREATE TRIGGER sales_line_update AFTER UPDATE OF product_id, title, size, qty ON order_lines BEGIN
  INSERT INTO sales_item_changes SELECT at_ms, old.product_id, old.title, old.size, -old.qty
  FROM order_sales WHERE order_id = old.order_id AND is_sold;
  INSERT INTO sales_item_changes SELECT at_ms, new.product_id, new.title, new.size, new.qty
  FROM order_sales WHERE order_id = new.order_id AND is_sold;
END;
