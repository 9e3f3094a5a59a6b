-- Example promotions and stock for a local shop. Existing rows stay unchanged.
INSERT OR IGNORE INTO promotions (code, kind, value, minimum_subtotal_cents, starts_at_ms, ends_at_ms, max_uses, created_at_ms) VALUES
  ('KARIBU10', 'percent', 10, 0, NULL, NULL, NULL, 0),
  ('PAMBA200', 'fixed', 20000, 150000, NULL, NULL, NULL, 0),
  ('LASTONE', 'percent', 25, 0, NULL, NULL, 1, 0),
  ('JAMHURI24', 'percent', 24, 0, NULL, 1735689600000, NULL, 0);

-- The items in the first two lines are nearly or entirely sold out. Items that are missing here are made to order.
INSERT OR IGNORE INTO stock (item_id, on_hand) VALUES
  (27, 1), (44, 0), (47, 0), (55, 0), (56, 2), (59, 0), (63, 0), (65, 2), (68, 3),
  (165, 0), (170, 1), (181, 0), (191, 0), (192, 0), (199, 0),
  (14, 60), (15, 60), (16, 60), (19, 60), (20, 60), (25, 60), (26, 60), (28, 60), (33, 60), (34, 60), (35, 60), (36, 60),
  (42, 60), (43, 60), (45, 60), (46, 60), (50, 60), (51, 60), (53, 60), (60, 60), (64, 60), (69, 60),
  (166, 60), (167, 60), (168, 60), (169, 60), (176, 60), (177, 60), (178, 60), (179, 60), (180, 60);
