-- The shop's own texts and settings are part of a version; null is the defaults.
ALTER TABLE catalogue_versions ADD COLUMN content_hash text;

-- The draft of what differs from the defaults, as JSON.
CREATE TABLE draft_content (
  name text PRIMARY KEY NOT NULL,
  revision integer NOT NULL,
  value text NOT NULL
);
