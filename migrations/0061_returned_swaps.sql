-- In the sales by item, an item that no invoice of its order names, because an edit or exchange added it, wasn't sold. Its return
-- counts as a difference, like the payment for such a change.
DROP TRIGGER figure_items_returned;
CREATE TRIGGER figure_items_returned AFTER INSERT ON invoice_lines WHEN new.kind = 'credit_note' BEGIN
  INSERT INTO figure_item_changes SELECT issued_at_ms, iif(is_invoiced, new.item_id, 0), new.title, new.size,
    -- If a return is refunded in parts, its units count as returned only once.
    iif(is_invoiced AND (SELECT count(*) FROM refunds JOIN refunds part ON part.order_id = refunds.order_id AND part.return_id = refunds.return_id
      JOIN invoices note ON note.refund_id = part.id WHERE refunds.id = credit.refund_id) = 1, -new.qty, 0), 0, -new.net_cents
  FROM (SELECT *, EXISTS (SELECT 1 FROM invoices CROSS JOIN invoice_lines ON invoice_lines.kind = invoices.kind AND invoice_lines.number = invoices.number
      WHERE invoices.order_id = note.order_id AND invoices.kind = 'invoice' AND item_id = new.item_id) AS is_invoiced
    FROM invoices note WHERE kind = new.kind AND number = new.number) credit;
END;
