-- The published versions of the catalogue, in order. The files are in KV.
CREATE TABLE catalogue_versions (
  number integer PRIMARY KEY NOT NULL,
  hash text NOT NULL,
  at_ms integer NOT NULL,
  actor text NOT NULL,
  products integer NOT NULL,
  changes text NOT NULL
);
