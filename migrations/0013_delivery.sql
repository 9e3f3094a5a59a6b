-- The delivery terms of an order when it was placed: the zone of its fee, or where it is picked up.
ALTER TABLE orders ADD COLUMN delivery_zone text;
ALTER TABLE orders ADD COLUMN pickup text;
