-- Requests for an email when an item is back in stock. They are deleted once the email is sent.
CREATE TABLE stock_alerts (
  id text PRIMARY KEY NOT NULL,
  item_id integer NOT NULL,
  email text NOT NULL,
  created_at_ms integer NOT NULL
);

CREATE UNIQUE INDEX stock_alerts_email_item ON stock_alerts (email,item_id);
CREATE INDEX stock_alerts_created ON stock_alerts (created_at_ms);
