-- The stock of items, and the units that orders have reserved or bought. An item without a row is made to order.
CREATE TABLE stock (
  item_id integer PRIMARY KEY NOT NULL,
  on_hand integer NOT NULL,
  held integer DEFAULT 0 NOT NULL,
  CONSTRAINT stock_within_on_hand CHECK (held >= 0 and held <= on_hand)
);

CREATE INDEX stock_left ON stock (on_hand - held);

CREATE TABLE stock_holds (
  order_id text NOT NULL,
  item_id integer NOT NULL,
  qty integer NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (order_id, item_id),
  FOREIGN KEY (order_id) REFERENCES orders(id)
);

CREATE INDEX stock_holds_held ON stock_holds (item_id) WHERE state = 'held';
