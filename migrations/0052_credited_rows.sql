-- Crediting a refund read all earlier returns and invoice lines. It now reads those of its order: `returned_goods` is a
-- view of one table, so that SQLite looks up one return, and the trigger's joins start from the order's invoices.
DROP VIEW returned_goods;
CREATE VIEW returned_goods AS
SELECT id AS return_id,
  (SELECT sum(unit_price_cents * qty) FROM return_lines WHERE return_id = order_returns.id) AS subtotal_cents,
  (SELECT coalesce(CAST(round(1.0 * discount_cents * sum(unit_price_cents * qty) / subtotal_cents) AS integer), 0)
    FROM orders JOIN return_lines ON return_id = order_returns.id WHERE orders.id = order_id) AS discount_cents,
  iif(refunds_shipping, (SELECT shipping_cents FROM orders WHERE orders.id = order_id), 0) AS shipping_cents,
  (SELECT CAST(round((sum(unit_price_cents * qty)
      - coalesce(CAST(round(1.0 * discount_cents * sum(unit_price_cents * qty) / subtotal_cents) AS integer), 0))
      * vat_percent / 100.0) AS integer)
    FROM orders JOIN return_lines ON return_id = order_returns.id WHERE orders.id = order_id) AS vat_cents
FROM order_returns;

DROP TRIGGER figure_items_credited;
CREATE TRIGGER figure_items_credited AFTER INSERT ON invoices WHEN new.kind = 'credit_note' AND NOT EXISTS (
  SELECT 1 FROM refunds JOIN returned_goods ON returned_goods.return_id = refunds.return_id
  WHERE refunds.id = new.refund_id AND subtotal_cents > 0) BEGIN
  INSERT INTO figure_item_changes SELECT new.issued_at_ms, item_id, title, size,
    iif((SELECT sum(total_cents) FROM invoices WHERE order_id = new.order_id) = 0 AND NOT EXISTS (
      SELECT 1 FROM invoices note CROSS JOIN invoice_lines back ON back.kind = note.kind AND back.number = note.number
      WHERE note.order_id = new.order_id AND note.kind = 'credit_note'), -qty, 0), 0,
    coalesce(CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * sum(net_cents) OVER (ORDER BY invoiced.number, position)
      / sum(net_cents) OVER ()) AS integer)
    - CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * (sum(net_cents) OVER (ORDER BY invoiced.number, position) - net_cents)
      / sum(net_cents) OVER ()) AS integer), 0)
  FROM invoices invoiced CROSS JOIN invoice_lines ON invoice_lines.kind = 'invoice' AND invoice_lines.number = invoiced.number
  WHERE invoiced.order_id = new.order_id AND invoiced.kind = 'invoice';
END;
