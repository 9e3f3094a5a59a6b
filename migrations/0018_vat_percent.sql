-- The VAT rate an order was placed with, in whole percent. The rate was 16% for all orders before this column.
ALTER TABLE orders ADD COLUMN vat_percent integer DEFAULT 16 NOT NULL;
