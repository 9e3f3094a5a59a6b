-- The landmark that prefills checkout, like the address.
ALTER TABLE users ADD COLUMN landmark text;
