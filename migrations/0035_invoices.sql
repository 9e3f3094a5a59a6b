-- Invoices and credit notes. Triggers issue them in the batch that settles the payment or completes the refund,
-- whichever code runs it. Their number comes from a counter in the same batch, so there are no gaps or duplicates.
CREATE TABLE sellers (
  id integer PRIMARY KEY NOT NULL,
  name text NOT NULL,
  pin text NOT NULL,
  address text NOT NULL,
  created_at_ms integer NOT NULL
);

CREATE TABLE invoice_numbers (
  kind text PRIMARY KEY NOT NULL,
  last integer NOT NULL
);

CREATE TABLE invoices (
  kind text NOT NULL,
  number integer NOT NULL,
  issued_at_ms integer NOT NULL,
  order_id text NOT NULL,
  payment_id text NOT NULL,
  refund_id text,
  seller_id integer,
  method text NOT NULL,
  vat_percent integer NOT NULL,
  subtotal_cents integer NOT NULL,
  discount_cents integer NOT NULL,
  shipping_cents integer NOT NULL,
  vat_cents integer NOT NULL,
  rounding_cents integer NOT NULL,
  total_cents integer NOT NULL,
  PRIMARY KEY (kind, number),
  FOREIGN KEY (order_id) REFERENCES orders(id)
);
CREATE INDEX invoices_order ON invoices (order_id, kind, number);
CREATE INDEX invoices_issued ON invoices (issued_at_ms, kind, number);
CREATE UNIQUE INDEX invoices_payment ON invoices (payment_id) WHERE kind = 'invoice';
CREATE UNIQUE INDEX invoices_refund ON invoices (refund_id) WHERE refund_id IS NOT NULL;

CREATE TABLE invoice_lines (
  kind text NOT NULL,
  number integer NOT NULL,
  position integer NOT NULL,
  item_id integer NOT NULL,
  title text NOT NULL,
  size text,
  qty integer NOT NULL,
  unit_price_cents integer NOT NULL,
  net_cents integer NOT NULL,
  PRIMARY KEY (kind, number, position)
) WITHOUT ROWID;

-- The sums invoiced and credited per day. An empty `method` means all methods together.
CREATE TABLE figure_days (
  day text NOT NULL,
  method text NOT NULL,
  orders integer DEFAULT 0 NOT NULL,
  gross_cents integer DEFAULT 0 NOT NULL,
  discount_cents integer DEFAULT 0 NOT NULL,
  returned_cents integer DEFAULT 0 NOT NULL,
  shipping_cents integer DEFAULT 0 NOT NULL,
  vat_cents integer DEFAULT 0 NOT NULL,
  rounding_cents integer DEFAULT 0 NOT NULL,
  total_cents integer DEFAULT 0 NOT NULL,
  refunded_cents integer DEFAULT 0 NOT NULL,
  PRIMARY KEY (method, day)
) WITHOUT ROWID;

CREATE TABLE figure_items (
  day text NOT NULL,
  item_id integer NOT NULL,
  title text NOT NULL,
  size text,
  units integer NOT NULL,
  net_cents integer NOT NULL,
  returned_cents integer NOT NULL,
  PRIMARY KEY (day, item_id)
) WITHOUT ROWID;

-- The sums of an order's documents. `all` includes all of them, `billed` excludes credit notes that don't change
-- the order's total.
CREATE TABLE order_documents (
  order_id text NOT NULL,
  kind text NOT NULL,
  subtotal_cents integer NOT NULL,
  discount_cents integer NOT NULL,
  shipping_cents integer NOT NULL,
  vat_cents integer NOT NULL,
  total_cents integer NOT NULL,
  PRIMARY KEY (order_id, kind),
  FOREIGN KEY (order_id) REFERENCES orders(id)
) WITHOUT ROWID;

CREATE TRIGGER order_documents_change AFTER INSERT ON invoices BEGIN
  INSERT INTO order_documents SELECT new.order_id, value, new.subtotal_cents, new.discount_cents, new.shipping_cents,
    new.vat_cents, new.total_cents
  FROM json_each(iif((SELECT reason FROM refunds WHERE id = new.refund_id) IN ('order_cancelled', 'return', 'other'),
    '["all"]', '["all", "billed"]')) WHERE true
  ON CONFLICT (order_id, kind) DO UPDATE SET subtotal_cents = subtotal_cents + excluded.subtotal_cents,
    discount_cents = discount_cents + excluded.discount_cents, shipping_cents = shipping_cents + excluded.shipping_cents,
    vat_cents = vat_cents + excluded.vat_cents, total_cents = total_cents + excluded.total_cents;
END;

-- What a payment adds to its order's documents: the order's totals less what is already billed. If it pays only
-- part of that difference, it bills its share of each sum, and `rounding_cents` is the rest.
CREATE VIEW payments_to_invoice AS
SELECT *, total_cents - (subtotal_cents - discount_cents + shipping_cents + vat_cents) AS rounding_cents FROM (
  SELECT payment_id, order_id, at_ms, method, vat_percent, min(amount_cents, due_cents) AS total_cents,
    CAST(round(1.0 * subtotal_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS subtotal_cents,
    CAST(round(1.0 * discount_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS discount_cents,
    CAST(round(1.0 * shipping_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS shipping_cents,
    CAST(round(1.0 * vat_cents * min(amount_cents, due_cents) / due_cents) AS integer) AS vat_cents
  FROM (
    SELECT payments.id AS payment_id, orders.id AS order_id, coalesce(payments.ended_at_ms, payments.created_at_ms) AS at_ms,
      coalesce(payments.manual_type, payments.provider) AS method, orders.vat_percent, payments.amount_cents,
      orders.total_cents - coalesce(billed.total_cents, 0) AS due_cents,
      orders.subtotal_cents - coalesce(billed.subtotal_cents, 0) AS subtotal_cents,
      orders.discount_cents - coalesce(billed.discount_cents, 0) AS discount_cents,
      orders.shipping_cents - coalesce(billed.shipping_cents, 0) AS shipping_cents,
      orders.vat_cents - coalesce(billed.vat_cents, 0) AS vat_cents
    FROM payments JOIN orders ON orders.id = payments.order_id
      LEFT JOIN order_documents billed ON billed.order_id = orders.id AND billed.kind = 'billed'
    WHERE payments.state = 'settled' AND orders.status NOT IN ('awaiting_payment', 'expired', 'cancelled')
      AND NOT EXISTS (SELECT 1 FROM invoices WHERE payment_id = payments.id AND kind = 'invoice')
  )
  WHERE due_cents > 0
);

-- What a refund subtracts, as negative sums: its share of all documents or, if the order's total was lowered, of
-- the difference. Payments that were never invoiced, such as a second payment, need no credit note.
CREATE VIEW refunds_to_credit AS
SELECT *, total_cents - (subtotal_cents - discount_cents + shipping_cents + vat_cents) AS rounding_cents FROM (
  SELECT refund_id, payment_id, order_id, at_ms, method, vat_percent, -credit_cents AS total_cents,
    -CAST(round(1.0 * subtotal_cents * credit_cents / base_cents) AS integer) AS subtotal_cents,
    -CAST(round(1.0 * discount_cents * credit_cents / base_cents) AS integer) AS discount_cents,
    -CAST(round(1.0 * shipping_cents * credit_cents / base_cents) AS integer) AS shipping_cents,
    -CAST(round(1.0 * vat_cents * credit_cents / base_cents) AS integer) AS vat_cents
  FROM (
    SELECT refunds.id AS refund_id, refunds.payment_id, orders.id AS order_id, orders.vat_percent,
      coalesce(refunds.completed_at_ms, refunds.created_at_ms) AS at_ms,
      coalesce(payments.manual_type, payments.provider) AS method,
      min(refunds.amount_cents, documented.total_cents) AS credit_cents,
      documented.total_cents - coalesce(lowered.total_cents, 0) AS base_cents,
      documented.subtotal_cents - coalesce(lowered.subtotal_cents, 0) AS subtotal_cents,
      documented.discount_cents - coalesce(lowered.discount_cents, 0) AS discount_cents,
      documented.shipping_cents - coalesce(lowered.shipping_cents, 0) AS shipping_cents,
      documented.vat_cents - coalesce(lowered.vat_cents, 0) AS vat_cents
    FROM refunds JOIN payments ON payments.id = refunds.payment_id JOIN orders ON orders.id = refunds.order_id
      JOIN order_documents documented ON documented.order_id = orders.id AND documented.kind = 'all'
      LEFT JOIN orders lowered ON lowered.id = refunds.order_id AND refunds.reason IN ('order_edited', 'exchange')
        AND lowered.total_cents < documented.total_cents
    WHERE refunds.state = 'done' AND refunds.reason NOT IN ('extra_payment', 'late_payment') AND documented.total_cents > 0
      AND NOT EXISTS (SELECT 1 FROM invoices WHERE refund_id = refunds.id)
  )
);

CREATE VIEW invoice_requests AS SELECT '' AS payment_id;
CREATE TRIGGER invoice_issue INSTEAD OF INSERT ON invoice_requests
WHEN EXISTS (SELECT 1 FROM payments_to_invoice WHERE payment_id = new.payment_id) BEGIN
  INSERT INTO invoice_numbers VALUES ('invoice', 1) ON CONFLICT (kind) DO UPDATE SET last = last + 1;
  INSERT INTO invoices SELECT 'invoice', (SELECT last FROM invoice_numbers WHERE kind = 'invoice'), at_ms, order_id, payment_id,
    NULL, (SELECT max(id) FROM sellers), method, vat_percent, subtotal_cents, discount_cents, shipping_cents, vat_cents,
    rounding_cents, total_cents
  FROM payments_to_invoice WHERE payment_id = new.payment_id;
  -- The share of the discount of each line. The shares add up to the discount.
  INSERT INTO invoice_lines
  SELECT invoices.kind, invoices.number, position, product_id, title, size, qty, unit_price_cents, unit_price_cents * qty
    - CAST(round(1.0 * discount_cents * sum(unit_price_cents * qty) OVER (ORDER BY position) / subtotal_cents) AS integer)
    + CAST(round(1.0 * discount_cents * (sum(unit_price_cents * qty) OVER (ORDER BY position) - unit_price_cents * qty) / subtotal_cents) AS integer)
  FROM invoices JOIN order_lines ON order_lines.order_id = invoices.order_id
  WHERE invoices.kind = 'invoice' AND invoices.payment_id = new.payment_id AND subtotal_cents > 0
    AND subtotal_cents = (SELECT sum(unit_price_cents * qty) FROM order_lines WHERE order_id = invoices.order_id);
  INSERT INTO invoice_lines SELECT kind, number, 0, 0, 'Changes to the order', NULL, 1, subtotal_cents, subtotal_cents - discount_cents
  FROM invoices WHERE kind = 'invoice' AND payment_id = new.payment_id
    AND NOT EXISTS (SELECT 1 FROM invoice_lines WHERE kind = invoices.kind AND number = invoices.number);
END;

CREATE VIEW credit_note_requests AS SELECT '' AS refund_id;
CREATE TRIGGER credit_note_issue INSTEAD OF INSERT ON credit_note_requests
WHEN EXISTS (SELECT 1 FROM refunds_to_credit WHERE refund_id = new.refund_id) BEGIN
  INSERT INTO invoice_numbers VALUES ('credit_note', 1) ON CONFLICT (kind) DO UPDATE SET last = last + 1;
  INSERT INTO invoices SELECT 'credit_note', (SELECT last FROM invoice_numbers WHERE kind = 'credit_note'), at_ms, order_id,
    payment_id, refund_id, (SELECT max(id) FROM sellers), method, vat_percent, subtotal_cents, discount_cents, shipping_cents,
    vat_cents, rounding_cents, total_cents
  FROM refunds_to_credit WHERE refund_id = new.refund_id;
END;

CREATE TRIGGER invoice_payment_update AFTER UPDATE OF state ON payments WHEN new.state = 'settled' AND old.state <> 'settled' BEGIN
  INSERT INTO invoice_requests VALUES (new.id);
END;
CREATE TRIGGER invoice_payment_insert AFTER INSERT ON payments WHEN new.state = 'settled' BEGIN
  INSERT INTO invoice_requests VALUES (new.id);
END;
CREATE TRIGGER invoice_order_update AFTER UPDATE OF status ON orders
WHEN old.status IN ('awaiting_payment', 'expired') AND new.status NOT IN ('awaiting_payment', 'expired', 'cancelled') BEGIN
  INSERT INTO invoice_requests SELECT id FROM payments WHERE order_id = new.id AND state = 'settled' ORDER BY attempt;
END;
CREATE TRIGGER invoice_refund_update AFTER UPDATE OF state ON refunds WHEN new.state = 'done' AND old.state <> 'done' BEGIN
  INSERT INTO credit_note_requests VALUES (new.id);
END;
CREATE TRIGGER invoice_refund_insert AFTER INSERT ON refunds WHEN new.state = 'done' BEGIN
  INSERT INTO credit_note_requests VALUES (new.id);
END;

CREATE TRIGGER figure_days_change AFTER INSERT ON invoices BEGIN
  INSERT INTO figure_days SELECT date(new.issued_at_ms / 1000, 'unixepoch', '+3 hours'), value,
    new.kind = 'invoice' AND NOT EXISTS (SELECT 1 FROM invoices WHERE order_id = new.order_id AND kind = 'invoice' AND number < new.number),
    iif(new.kind = 'invoice', new.subtotal_cents, 0), iif(new.kind = 'invoice', new.discount_cents, 0),
    iif(new.kind = 'invoice', 0, new.discount_cents - new.subtotal_cents), new.shipping_cents, new.vat_cents, new.rounding_cents,
    new.total_cents, iif(new.kind = 'invoice', 0, -new.total_cents)
  FROM json_each(json_array('', new.method)) WHERE true
  ON CONFLICT (method, day) DO UPDATE SET orders = orders + excluded.orders, gross_cents = gross_cents + excluded.gross_cents,
    discount_cents = discount_cents + excluded.discount_cents, returned_cents = returned_cents + excluded.returned_cents,
    shipping_cents = shipping_cents + excluded.shipping_cents, vat_cents = vat_cents + excluded.vat_cents,
    rounding_cents = rounding_cents + excluded.rounding_cents, total_cents = total_cents + excluded.total_cents,
    refunded_cents = refunded_cents + excluded.refunded_cents;
END;

CREATE VIEW figure_item_changes AS SELECT 0 AS at_ms, 0 AS item_id, '' AS title, '' AS size, 0 AS units, 0 AS net_cents, 0 AS returned_cents;
CREATE TRIGGER figure_items_change INSTEAD OF INSERT ON figure_item_changes BEGIN
  INSERT INTO figure_items VALUES (date(new.at_ms / 1000, 'unixepoch', '+3 hours'), new.item_id, new.title, new.size, new.units,
    new.net_cents, new.returned_cents)
  ON CONFLICT (day, item_id) DO UPDATE SET title = excluded.title, size = excluded.size, units = units + excluded.units,
    net_cents = net_cents + excluded.net_cents, returned_cents = returned_cents + excluded.returned_cents;
END;
CREATE TRIGGER figure_items_sold AFTER INSERT ON invoice_lines BEGIN
  INSERT INTO figure_item_changes SELECT issued_at_ms, new.item_id, new.title, new.size, new.qty, new.net_cents, 0
  FROM invoices WHERE kind = new.kind AND number = new.number;
END;

-- A credit note is divided among the invoiced items, and the shares add up to its sums. Units count as returned
-- once everything is refunded.
CREATE TRIGGER figure_items_credited AFTER INSERT ON invoices WHEN new.kind = 'credit_note' BEGIN
  INSERT INTO figure_item_changes SELECT new.issued_at_ms, item_id, title, size,
    iif(new.total_cents + invoiced.total_cents = 0, -qty, 0), 0,
    coalesce(CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * sum(net_cents) OVER (ORDER BY position)
      / sum(net_cents) OVER ()) AS integer)
    - CAST(round(1.0 * (new.discount_cents - new.subtotal_cents) * (sum(net_cents) OVER (ORDER BY position) - net_cents)
      / sum(net_cents) OVER ()) AS integer), 0)
  FROM invoices invoiced JOIN invoice_lines ON invoice_lines.kind = 'invoice' AND invoice_lines.number = invoiced.number
  WHERE invoiced.order_id = new.order_id AND invoiced.kind = 'invoice';
END;

INSERT INTO invoice_requests SELECT id FROM payments WHERE state = 'settled' ORDER BY ended_at_ms, id;
INSERT INTO credit_note_requests SELECT id FROM refunds WHERE state = 'done' ORDER BY completed_at_ms, id;

-- The buyer's tax number, which the invoice shows.
ALTER TABLE orders ADD COLUMN kra_pin text;
