-- Notes, blocks, and the order of customers by their latest order, for the office's customer pages.
CREATE TABLE customer_notes (
  id text PRIMARY KEY NOT NULL,
  user_id text NOT NULL,
  author text NOT NULL,
  text text NOT NULL,
  at_ms integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX customer_notes_user ON customer_notes (user_id, at_ms);

CREATE TABLE customer_blocks (
  id text PRIMARY KEY NOT NULL,
  user_id text NOT NULL,
  email text NOT NULL,
  phone text,
  reason text,
  actor text NOT NULL,
  at_ms integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX customer_blocks_user ON customer_blocks (user_id);
CREATE INDEX customer_blocks_email ON customer_blocks (email);
CREATE INDEX customer_blocks_phone ON customer_blocks (phone) WHERE phone is not null;

ALTER TABLE users ADD COLUMN last_order_at_ms integer;
UPDATE users SET last_order_at_ms = (SELECT max(created_at_ms) FROM orders WHERE user_id = users.id) WHERE id <> 'deleted';
CREATE INDEX users_last_order ON users (last_order_at_ms, id) WHERE last_order_at_ms is not null;
CREATE INDEX users_name ON users (lower(name));
CREATE INDEX users_phone_digits ON users (ltrim(replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '(', ''), ')', ''), '+', ''), '0'));

CREATE TRIGGER users_last_order AFTER INSERT ON orders BEGIN
  UPDATE users SET last_order_at_ms = new.created_at_ms WHERE id = new.user_id;
END;
