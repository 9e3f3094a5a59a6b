-- What the shop prints on a card for the person who receives the order.
ALTER TABLE orders ADD COLUMN gift_note text;
