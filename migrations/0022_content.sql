-- The shop's texts and settings, which are part of a version. Null means the defaults.
ALTER TABLE catalogue_versions ADD COLUMN content_hash text;

-- The draft of content that differs from the defaults, as JSON.
CREATE TABLE draft_content (
  name text PRIMARY KEY NOT NULL,
  revision integer NOT NULL,
  value text NOT NULL
);
