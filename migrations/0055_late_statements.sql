-- Payments are matched to orders from when they are verified, not from when they were made, because a statement may be
-- uploaded long after its payments.
CREATE INDEX incoming_payments_verified ON incoming_payments (verified_at_ms, paid_at_ms)
  WHERE payment_id IS NULL AND returned_at_ms IS NULL;
