-- Money that left the shop's account, according to the provider's statements: refunds, fees and transfers.
-- `matched_to` is a refund's id, or `returned` and the receipt of a returned payment. Triggers set it if the
-- statement names the payment.
CREATE TABLE withdrawals (
  provider text NOT NULL,
  receipt text NOT NULL,
  is_fee integer NOT NULL,
  amount_cents integer NOT NULL,
  at_ms integer NOT NULL,
  details text,
  linked_receipt text,
  matched_to text,
  order_id text,
  dismissed_at_ms integer,
  recorded_at_ms integer NOT NULL,
  PRIMARY KEY (provider, receipt, is_fee, amount_cents),
  FOREIGN KEY (order_id) REFERENCES orders(id)
);
CREATE INDEX withdrawals_at ON withdrawals (provider, at_ms);
CREATE INDEX withdrawals_receipt ON withdrawals (receipt);
CREATE INDEX withdrawals_order ON withdrawals (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX withdrawals_linked ON withdrawals (linked_receipt) WHERE linked_receipt IS NOT NULL;
CREATE UNIQUE INDEX withdrawals_matched ON withdrawals (matched_to) WHERE matched_to IS NOT NULL;

-- The periods that uploaded statements cover.
CREATE TABLE statements (
  provider text NOT NULL,
  first_ms integer NOT NULL,
  last_ms integer NOT NULL,
  uploaded_at_ms integer NOT NULL,
  PRIMARY KEY (provider, first_ms, last_ms)
);
CREATE INDEX statements_last ON statements (provider, last_ms);

-- The provider's own number for a refund, from its callback.
ALTER TABLE refunds ADD COLUMN receipt text;
CREATE INDEX refunds_receipt ON refunds (receipt) WHERE receipt IS NOT NULL;
CREATE INDEX incoming_payments_returned ON incoming_payments (returned_at_ms) WHERE returned_at_ms IS NOT NULL;

CREATE TRIGGER withdrawals_insert AFTER INSERT ON withdrawals WHEN new.matched_to IS NULL AND new.is_fee = 0 BEGIN
  UPDATE withdrawals SET matched_to = (SELECT id FROM (
      SELECT id, created_at_ms AS at FROM refunds WHERE receipt = new.receipt
      UNION ALL SELECT refunds.id, refunds.created_at_ms FROM payments JOIN refunds ON refunds.payment_id = payments.id
      WHERE payments.receipt = new.linked_receipt AND refunds.amount_cents = new.amount_cents
      UNION ALL SELECT refunds.id, refunds.created_at_ms FROM payments JOIN refunds ON refunds.payment_id = payments.id
      WHERE payments.provider = new.provider AND payments.reference = new.linked_receipt AND refunds.amount_cents = new.amount_cents
      UNION ALL SELECT 'returned ' || receipt, returned_at_ms FROM incoming_payments
      WHERE provider = new.provider AND receipt = new.linked_receipt AND amount_cents = new.amount_cents AND returned_at_ms IS NOT NULL
    ) found WHERE NOT EXISTS (SELECT 1 FROM withdrawals other WHERE other.matched_to = found.id) ORDER BY at LIMIT 1)
  WHERE provider = new.provider AND receipt = new.receipt AND is_fee = 0 AND amount_cents = new.amount_cents;
END;

CREATE TRIGGER withdrawals_order AFTER UPDATE OF matched_to ON withdrawals BEGIN
  UPDATE withdrawals SET order_id = (SELECT order_id FROM refunds WHERE id = new.matched_to) WHERE rowid = new.rowid;
END;

CREATE VIEW withdrawals_to_match AS SELECT '' AS id, '' AS receipt, '' AS linked_receipt, 0 AS amount_cents;
CREATE TRIGGER withdrawals_match INSTEAD OF INSERT ON withdrawals_to_match BEGIN
  UPDATE withdrawals SET matched_to = new.id WHERE rowid = (
    SELECT rowid FROM withdrawals WHERE receipt = new.receipt AND is_fee = 0 AND matched_to IS NULL
    UNION ALL SELECT rowid FROM withdrawals
    WHERE linked_receipt = new.linked_receipt AND amount_cents = new.amount_cents AND is_fee = 0 AND matched_to IS NULL LIMIT 1
  ) AND NOT EXISTS (SELECT 1 FROM withdrawals WHERE matched_to = new.id);
END;
CREATE TRIGGER refunds_withdrawn_insert AFTER INSERT ON refunds BEGIN
  INSERT INTO withdrawals_to_match SELECT new.id, new.receipt, coalesce(receipt, reference), new.amount_cents FROM payments
  WHERE id = new.payment_id;
END;
CREATE TRIGGER refunds_withdrawn_update AFTER UPDATE OF receipt ON refunds WHEN new.receipt IS NOT NULL BEGIN
  INSERT INTO withdrawals_to_match VALUES (new.id, new.receipt, NULL, new.amount_cents);
END;
CREATE TRIGGER incoming_returned AFTER UPDATE OF returned_at_ms ON incoming_payments WHEN new.returned_at_ms IS NOT NULL BEGIN
  INSERT INTO withdrawals_to_match VALUES ('returned ' || new.receipt, NULL, new.receipt, new.amount_cents);
END;
