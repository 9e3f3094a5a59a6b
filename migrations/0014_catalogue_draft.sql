-- The office's draft of the catalogue: one row for the draft, and one for each of its products, including hidden
-- ones.
CREATE TABLE catalogue_draft (
  id integer PRIMARY KEY NOT NULL,
  revision integer NOT NULL,
  published_revision integer NOT NULL,
  next_item_id integer NOT NULL
);

CREATE TABLE draft_products (
  id integer PRIMARY KEY NOT NULL,
  position integer NOT NULL,
  is_hidden integer NOT NULL,
  revision integer NOT NULL,
  product text NOT NULL
);
