-- Refunds of payments that were never assigned to an order. M-Pesa reverses the whole transaction, at most once.
CREATE TABLE incoming_refunds (
  provider text NOT NULL,
  receipt text NOT NULL,
  state text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_at_ms integer,
  error text,
  callback_hash text,
  requested_at_ms integer NOT NULL,
  PRIMARY KEY (provider, receipt),
  FOREIGN KEY (provider, receipt) REFERENCES incoming_payments(provider, receipt)
);
CREATE INDEX incoming_refunds_next ON incoming_refunds (next_at_ms) WHERE next_at_ms IS NOT NULL;
CREATE UNIQUE INDEX incoming_refunds_callback ON incoming_refunds (callback_hash);
