-- The customer sees it on the order page, which is all they see if the order has no email address.
ALTER TABLE order_returns ADD COLUMN decline_message text;
