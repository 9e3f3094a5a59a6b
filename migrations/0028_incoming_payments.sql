-- Payments that the provider reports: those that customers made to the till or paybill themselves, and everything
-- in a statement. Receipts are unique here and in `payments`, so that no payment counts twice.
CREATE TABLE incoming_payments (
  provider text NOT NULL,
  receipt text NOT NULL,
  amount_cents integer NOT NULL,
  paid_at_ms integer NOT NULL,
  account text,
  payer text,
  source text NOT NULL,
  verified_at_ms integer,
  order_id text,
  payment_id text,
  returned_at_ms integer,
  recorded_at_ms integer NOT NULL,
  PRIMARY KEY (provider, receipt),
  FOREIGN KEY (order_id) REFERENCES orders(id)
);
CREATE INDEX incoming_payments_paid ON incoming_payments (provider, paid_at_ms);
CREATE INDEX incoming_payments_receipt ON incoming_payments (receipt);
CREATE INDEX incoming_payments_order ON incoming_payments (order_id);
CREATE INDEX incoming_payments_open ON incoming_payments (paid_at_ms, receipt) WHERE payment_id IS NULL AND returned_at_ms IS NULL;

-- M-Pesa's statements name the receipt, Paystack's the reference.
CREATE TRIGGER incoming_payments_insert AFTER INSERT ON incoming_payments WHEN new.payment_id IS NULL BEGIN
  UPDATE incoming_payments SET (payment_id, order_id) = (SELECT id, order_id FROM payments WHERE receipt = new.receipt
    UNION ALL SELECT id, order_id FROM payments WHERE provider = new.provider AND reference = new.receipt LIMIT 1)
  WHERE provider = new.provider AND receipt = new.receipt;
END;
CREATE TRIGGER incoming_payments_paid_insert AFTER INSERT ON payments WHEN new.receipt IS NOT NULL BEGIN
  UPDATE incoming_payments SET payment_id = new.id, order_id = new.order_id WHERE receipt = new.receipt;
END;
CREATE TRIGGER incoming_payments_paid_update AFTER UPDATE OF receipt ON payments
WHEN new.receipt IS NOT NULL AND old.receipt IS NOT new.receipt BEGIN
  UPDATE incoming_payments SET payment_id = new.id, order_id = new.order_id WHERE receipt = new.receipt;
END;

CREATE TABLE incoming_sources (
  provider text PRIMARY KEY NOT NULL,
  token_hash text,
  registration_requested_at_ms integer,
  registration_error text,
  registered_at_ms integer,
  pulled_to_ms integer,
  next_pull_at_ms integer DEFAULT 0 NOT NULL,
  pull_error text
);
CREATE UNIQUE INDEX incoming_sources_token ON incoming_sources (token_hash);
