-- Existing accounts count as confirmed, so that their next reset doesn't move them to a new account.
ALTER TABLE users ADD COLUMN email_verified_at_ms integer;
UPDATE users SET email_verified_at_ms = created_at_ms;

ALTER TABLE contact_messages ADD COLUMN is_suspicious integer DEFAULT false NOT NULL;

CREATE TABLE account_events (
  id text PRIMARY KEY NOT NULL,
  user_id text NOT NULL,
  kind text NOT NULL,
  at_ms integer NOT NULL,
  browser text,
  country text,
  FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE INDEX account_events_user ON account_events (user_id, at_ms);
CREATE INDEX account_events_at ON account_events (at_ms);

CREATE TABLE attempt_counts (
  key text PRIMARY KEY NOT NULL,
  attempts integer NOT NULL,
  last_at_ms integer NOT NULL
);

CREATE INDEX attempt_counts_last ON attempt_counts (last_at_ms);
CREATE INDEX outbox_recipient ON outbox (recipient, kind, sent_at_ms);
