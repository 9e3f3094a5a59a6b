-- The office's tables and indexes. Its board and search read by these indexes only, so the number of orders
-- doesn't matter.
CREATE INDEX orders_status ON orders (status, created_at_ms, number);
CREATE INDEX orders_phone ON orders (phone);
CREATE INDEX orders_name ON orders (lower(first_name || ' ' || last_name));
CREATE INDEX orders_last_name ON orders (lower(last_name));

-- The number of orders with each status, because counting them would read all orders.
CREATE TABLE order_counts (
  status text PRIMARY KEY NOT NULL,
  orders integer NOT NULL
);

INSERT INTO order_counts (status, orders) SELECT status, count(*) FROM orders GROUP BY status;

CREATE TRIGGER order_counts_insert AFTER INSERT ON orders BEGIN
  INSERT INTO order_counts (status, orders) VALUES (new.status, 1) ON CONFLICT (status) DO UPDATE SET orders = orders + 1;
END;

CREATE TRIGGER order_counts_update AFTER UPDATE OF status ON orders WHEN old.status <> new.status BEGIN
  UPDATE order_counts SET orders = orders - 1 WHERE status = old.status;
  INSERT INTO order_counts (status, orders) VALUES (new.status, 1) ON CONFLICT (status) DO UPDATE SET orders = orders + 1;
END;

CREATE TRIGGER order_counts_delete AFTER DELETE ON orders BEGIN
  UPDATE order_counts SET orders = orders - 1 WHERE status = old.status;
END;

CREATE TABLE order_notes (
  id text PRIMARY KEY NOT NULL,
  order_id text NOT NULL,
  author text NOT NULL,
  text text NOT NULL,
  at_ms integer NOT NULL,
  FOREIGN KEY (order_id) REFERENCES orders(id)
);

CREATE INDEX order_notes_order ON order_notes (order_id, at_ms);

CREATE TABLE audit_log (
  id text PRIMARY KEY NOT NULL,
  at_ms integer NOT NULL,
  actor text NOT NULL,
  act text NOT NULL,
  subject text NOT NULL,
  from_value text,
  to_value text
);

CREATE INDEX audit_log_at ON audit_log (at_ms);
CREATE INDEX audit_log_subject ON audit_log (subject, at_ms);

ALTER TABLE contact_messages ADD COLUMN read_at_ms integer;
ALTER TABLE contact_messages ADD COLUMN answered_at_ms integer;
CREATE INDEX contact_messages_unread ON contact_messages (created_at_ms) WHERE read_at_ms is null;
UPDATE contact_messages SET read_at_ms = created_at_ms;

CREATE INDEX payments_state ON payments (state, created_at_ms);
CREATE INDEX payments_refund ON payments (refund_state, created_at_ms) WHERE refund_state is not null;
CREATE INDEX outbox_failed ON outbox (created_at_ms) WHERE status = 'failed';
