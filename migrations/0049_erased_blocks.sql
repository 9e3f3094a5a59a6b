-- The blocks of deleted customers stay, but with hashes of the email address and phone number. This is their key.
CREATE TABLE block_hash_keys (
  id INTEGER PRIMARY KEY NOT NULL,
  key TEXT NOT NULL,
  CONSTRAINT block_hash_keys_single CHECK (id = 1)
);
