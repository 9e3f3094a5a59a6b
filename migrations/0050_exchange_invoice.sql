-- The invoice for the difference of an exchange names its items.
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
  FROM invoices JOIN order_lines ON order_lines.order_id = invoices.order_id
  WHERE invoices.kind = 'invoice' AND invoices.payment_id = new.payment_id AND subtotal_cents > 0
    AND subtotal_cents = (SELECT sum(unit_price_cents * qty) FROM order_lines WHERE order_id = invoices.order_id);
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
