-- What the rider finds an order's address by.
ALTER TABLE orders ADD COLUMN landmark text;
