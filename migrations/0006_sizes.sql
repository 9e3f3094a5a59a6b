-- The label of the size that was sold. `product_id` is the size's own id.
ALTER TABLE order_lines ADD COLUMN size text;
