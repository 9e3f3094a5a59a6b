-- The people who may use the office, besides the owner in OWNER_EMAIL.
CREATE TABLE team_members (
  email TEXT PRIMARY KEY NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'packer')),
  added_at_ms INTEGER NOT NULL
);
