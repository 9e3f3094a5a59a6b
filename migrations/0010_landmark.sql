-- A landmark that helps the rider find the address.
ALTER TABLE orders ADD COLUMN landmark text;
