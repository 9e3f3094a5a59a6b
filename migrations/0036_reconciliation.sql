-- Days whose payments the operator has compared with the provider's. `snapshot` has the payments at that time, by
-- receipt.
CREATE TABLE closed_days (
  provider text NOT NULL,
  day text NOT NULL,
  closed_at_ms integer NOT NULL,
  actor text NOT NULL,
  snapshot text NOT NULL,
  PRIMARY KEY (provider, day)
);
