-- What was agreed on when the order was placed: the zone of its delivery fee, or where it is picked up.
ALTER TABLE orders ADD COLUMN delivery_zone text;
ALTER TABLE orders ADD COLUMN pickup text;
