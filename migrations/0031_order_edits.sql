-- The operator's edits of an order, so that the second of two editors notices the first. Each has its own email.
ALTER TABLE orders ADD COLUMN revision integer DEFAULT 0 NOT NULL;
DROP INDEX outbox_once;
CREATE UNIQUE INDEX outbox_once ON outbox (subject_id, kind) WHERE order_address is not null and kind <> 'order-edited';
