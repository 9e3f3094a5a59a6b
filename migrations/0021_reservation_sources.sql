CREATE TABLE reservation_sources (
  order_id TEXT NOT NULL REFERENCES orders (id),
  source TEXT NOT NULL,
  PRIMARY KEY (order_id, source)
);
CREATE INDEX reservation_sources_source ON reservation_sources (source);
