-- Customers see the message on the order page. If the order has no email address, they see it only there.
ALTER TABLE order_returns ADD COLUMN decline_message text;
