-- The revision lets the second of two editors of an order notice the first. Each edit has its own email.
ALTER TABLE orders ADD COLUMN revision integer DEFAULT 0 NOT NULL;
DROP INDEX outbox_once;
CREATE UNIQUE INDEX outbox_once ON outbox (subject_id, kind) WHERE order_address is not null and kind <> 'order-edited';
