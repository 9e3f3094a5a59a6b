-- Example promotions for a local shop. Running it again changes nothing.
INSERT OR IGNORE INTO promotions (code, kind, value, minimum_subtotal_cents, starts_at_ms, ends_at_ms, max_uses, created_at_ms) VALUES
  ('KARIBU10', 'percent', 10, 0, NULL, NULL, NULL, 0),
  ('PAMBA200', 'fixed', 20000, 150000, NULL, NULL, NULL, 0),
  ('LASTONE', 'percent', 25, 0, NULL, NULL, 1, 0),
  ('JAMHURI24', 'percent', 24, 0, NULL, 1735689600000, NULL, 0);
