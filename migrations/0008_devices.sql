-- How a user recognises their session, and when it was last used.
ALTER TABLE sessions ADD COLUMN browser text;
ALTER TABLE sessions ADD COLUMN country text;
ALTER TABLE sessions ADD COLUMN last_seen_at_ms integer DEFAULT 0 NOT NULL;
UPDATE sessions SET last_seen_at_ms = max(created_at_ms, expires_at_ms - 1209600000);
