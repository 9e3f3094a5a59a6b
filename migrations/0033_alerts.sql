CREATE TABLE alert_settings (
  email TEXT NOT NULL,
  kind TEXT NOT NULL,
  by_push INTEGER NOT NULL,
  by_email INTEGER NOT NULL,
  PRIMARY KEY (email, kind)
);
CREATE TABLE alert_devices (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT NOT NULL,
  label TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
);
CREATE INDEX alert_devices_email ON alert_devices (email);
CREATE UNIQUE INDEX alert_devices_endpoint ON alert_devices (endpoint);
CREATE TABLE alerts (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  recipient TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at_ms INTEGER NOT NULL,
  sent_at_ms INTEGER
);
CREATE UNIQUE INDEX alerts_once ON alerts (kind, subject);
CREATE INDEX alerts_unsent ON alerts (created_at_ms) WHERE sent_at_ms is null;
CREATE TABLE server_errors (
  window INTEGER PRIMARY KEY NOT NULL,
  errors INTEGER NOT NULL
);

-- The alert uses the subjects of these notices, which contain an order's number and amount. It doesn't use those
-- of messages, which contain a name.
CREATE TRIGGER alert_of_notice AFTER INSERT ON outbox
WHEN new.kind IN ('order-notice', 'refund-notice', 'contact-notice') BEGIN
  INSERT OR IGNORE INTO alerts (id, kind, subject, text, created_at_ms) VALUES (
    new.id,
    CASE new.kind WHEN 'order-notice' THEN 'newOrder' WHEN 'refund-notice' THEN 'failedRefund' ELSE 'newMessage' END,
    new.id,
    CASE new.kind WHEN 'contact-notice' THEN 'New message' ELSE new.subject END,
    new.created_at_ms
  );
END;
