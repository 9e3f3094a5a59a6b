-- The text that the shop prints on a card for the recipient of the order.
ALTER TABLE orders ADD COLUMN gift_note text;
