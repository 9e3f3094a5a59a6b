-- How the shopper gets the replacements of an exchange: the address of the shop, or the fee of the delivery. Both are null
-- if it wasn't chosen.
ALTER TABLE order_returns ADD COLUMN pickup text;
ALTER TABLE order_returns ADD COLUMN delivery_fee_cents integer CHECK (delivery_fee_cents >= 0);
