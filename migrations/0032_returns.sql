-- Returns and exchanges per line. An expected exchange reserves its replacement
-- (src/server/stock/reservations.ts).
CREATE TABLE order_returns (
  id text PRIMARY KEY NOT NULL,
  order_id text NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  reason text NOT NULL,
  note text,
  is_by_shopper integer NOT NULL,
  refunded_cents integer DEFAULT 0 NOT NULL,
  reserved_until_ms integer,
  created_at_ms integer NOT NULL,
  changed_at_ms integer NOT NULL,
  FOREIGN KEY (order_id) REFERENCES orders(id)
);
CREATE INDEX order_returns_order ON order_returns (order_id);
CREATE INDEX order_returns_state ON order_returns (state, created_at_ms);
CREATE INDEX order_returns_reserved ON order_returns (reserved_until_ms) WHERE state = 'expected';

CREATE TABLE return_lines (
  return_id text NOT NULL,
  position integer NOT NULL,
  product_id integer NOT NULL,
  title text NOT NULL,
  size text,
  unit_price_cents integer NOT NULL,
  qty integer NOT NULL,
  is_restocked integer,
  replacement_id integer,
  replacement_title text,
  replacement_size text,
  replacement_image text,
  replacement_price_cents integer,
  PRIMARY KEY (return_id, position),
  FOREIGN KEY (return_id) REFERENCES order_returns(id)
);
CREATE INDEX return_lines_replacement ON return_lines (replacement_id) WHERE replacement_id is not null;

DROP INDEX outbox_once;
CREATE UNIQUE INDEX outbox_once ON outbox (subject_id, kind) WHERE order_address is not null and kind not in ('order-edited', 'order-return');
