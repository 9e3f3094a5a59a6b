-- The VAT rate with which an order was placed, in whole percent. Orders from before this column had 16%.
ALTER TABLE orders ADD COLUMN vat_percent integer DEFAULT 16 NOT NULL;
