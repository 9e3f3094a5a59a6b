-- Shipping is refunded with one return of an order only.
ALTER TABLE order_returns ADD COLUMN refunds_shipping INTEGER NOT NULL DEFAULT 0;
