-- When an order reached each status, with what the shopper was told of it. A mail about an order names the order's page:
-- the signed link is made when it is delivered, and each kind of mail is sent once for an order.
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
