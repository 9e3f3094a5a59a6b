-- A statement's withdrawal belongs first to the refund that has its receipt, then to one that has none yet. A dismissed
-- withdrawal belongs to no refund.
DROP TRIGGER withdrawals_insert;
CREATE TRIGGER withdrawals_insert AFTER INSERT ON withdrawals WHEN new.matched_to IS NULL AND new.is_fee = 0 BEGIN
  UPDATE withdrawals SET matched_to = (SELECT id FROM (
      SELECT id, 0 AS rank, created_at_ms AS at FROM refunds WHERE receipt = new.receipt
      UNION ALL SELECT refunds.id, iif(refunds.receipt IS NULL, 1, 2), refunds.created_at_ms FROM payments JOIN refunds ON refunds.payment_id = payments.id
      WHERE payments.receipt = new.linked_receipt AND refunds.amount_cents = new.amount_cents
      UNION ALL SELECT refunds.id, iif(refunds.receipt IS NULL, 1, 2), refunds.created_at_ms FROM payments JOIN refunds ON refunds.payment_id = payments.id
      WHERE payments.provider = new.provider AND payments.reference = new.linked_receipt AND refunds.amount_cents = new.amount_cents
      UNION ALL SELECT 'returned ' || receipt, 1, returned_at_ms FROM incoming_payments
      WHERE provider = new.provider AND receipt = new.linked_receipt AND amount_cents = new.amount_cents AND returned_at_ms IS NOT NULL
    ) found WHERE NOT EXISTS (SELECT 1 FROM withdrawals other WHERE other.matched_to = found.id) ORDER BY rank, at LIMIT 1)
  WHERE provider = new.provider AND receipt = new.receipt AND is_fee = 0 AND amount_cents = new.amount_cents;
END;

DROP TRIGGER withdrawals_match;
CREATE TRIGGER withdrawals_match INSTEAD OF INSERT ON withdrawals_to_match BEGIN
  UPDATE withdrawals SET matched_to = new.id WHERE rowid = (
    SELECT rowid FROM withdrawals WHERE receipt = new.receipt AND is_fee = 0 AND matched_to IS NULL AND dismissed_at_ms IS NULL
    UNION ALL SELECT rowid FROM withdrawals
    WHERE linked_receipt = new.linked_receipt AND amount_cents = new.amount_cents AND is_fee = 0 AND matched_to IS NULL
      AND dismissed_at_ms IS NULL
    LIMIT 1
  ) AND NOT EXISTS (SELECT 1 FROM withdrawals WHERE matched_to = new.id);
END;
