-- When an order reached each status, with the note for the shopper. An email about an order stores the URL of the
-- order's page. The signed link is created on delivery. Each kind of email is sent once per order.
CREATE TABLE order_events (
  order_id text NOT NULL,
  status text NOT NULL,
  at_ms integer NOT NULL,
  note text,
  tracking_address text,
  PRIMARY KEY (order_id, status),
  FOREIGN KEY (order_id) REFERENCES orders(id)
);

ALTER TABLE outbox ADD COLUMN order_address text;
CREATE UNIQUE INDEX outbox_once ON outbox (subject_id,kind) WHERE order_address is not null;
