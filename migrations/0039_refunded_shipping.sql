-- Only one return of an order can refund the shipping.
ALTER TABLE order_returns ADD COLUMN refunds_shipping INTEGER NOT NULL DEFAULT 0;
