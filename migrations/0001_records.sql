CREATE TABLE contact_messages (
  id text PRIMARY KEY NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  message text NOT NULL,
  created_at_ms integer NOT NULL
);

CREATE INDEX contact_messages_created ON contact_messages (created_at_ms);
CREATE TABLE order_lines (
  order_id text NOT NULL,
  position integer NOT NULL,
  product_id integer NOT NULL,
  title text NOT NULL,
  image text NOT NULL,
  unit_price_cents integer NOT NULL,
  qty integer NOT NULL,
  PRIMARY KEY(order_id, position),
  FOREIGN KEY (order_id) REFERENCES orders(id)
);

CREATE TABLE orders (
  id text PRIMARY KEY NOT NULL,
  number text NOT NULL,
  user_id text NOT NULL,
  idempotency_key text NOT NULL,
  request_hash text NOT NULL,
  status text NOT NULL,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text NOT NULL,
  address text NOT NULL,
  address2 text,
  country text NOT NULL,
  state text NOT NULL,
  zip text NOT NULL,
  subtotal_cents integer NOT NULL,
  discount_cents integer NOT NULL,
  shipping_cents integer NOT NULL,
  vat_cents integer NOT NULL,
  total_cents integer NOT NULL,
  promo_code text,
  payment_provider text NOT NULL,
  payment_reference text NOT NULL,
  card_brand text,
  card_last_four text,
  created_at_ms integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users(id),
  FOREIGN KEY (promo_code) REFERENCES promotions(code)
);

CREATE UNIQUE INDEX orders_number_unique ON orders (number);
CREATE UNIQUE INDEX orders_user_key ON orders (user_id,idempotency_key);
CREATE INDEX orders_user_created ON orders (user_id,created_at_ms);
CREATE INDEX orders_created ON orders (created_at_ms);
CREATE TABLE outbox (
  id text PRIMARY KEY NOT NULL,
  kind text NOT NULL,
  subject_id text NOT NULL,
  recipient text NOT NULL,
  reply_to text,
  subject text NOT NULL,
  text text NOT NULL,
  html text NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at_ms integer NOT NULL,
  last_error text,
  created_at_ms integer NOT NULL,
  sent_at_ms integer
);

CREATE INDEX outbox_due ON outbox (next_attempt_at_ms) WHERE status = 'pending';
CREATE TABLE password_resets (
  code_hash text PRIMARY KEY NOT NULL,
  user_id text NOT NULL,
  created_at_ms integer NOT NULL,
  expires_at_ms integer NOT NULL,
  used_at_ms integer,
  FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE INDEX password_resets_user ON password_resets (user_id);
CREATE TABLE promotions (
  code text PRIMARY KEY NOT NULL,
  kind text NOT NULL,
  value integer NOT NULL,
  minimum_subtotal_cents integer DEFAULT 0 NOT NULL,
  starts_at_ms integer,
  ends_at_ms integer,
  max_uses integer,
  uses integer DEFAULT 0 NOT NULL,
  created_at_ms integer NOT NULL,
  CONSTRAINT "promotions_within_limit" CHECK(max_uses is null or uses <= max_uses)
);

CREATE TABLE sessions (
  id text PRIMARY KEY NOT NULL,
  user_id text NOT NULL,
  cookie_hash text NOT NULL,
  token_hash text NOT NULL,
  created_at_ms integer NOT NULL,
  expires_at_ms integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE UNIQUE INDEX sessions_cookie_hash_unique ON sessions (cookie_hash);
CREATE UNIQUE INDEX sessions_token_hash_unique ON sessions (token_hash);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at_ms);
CREATE TABLE users (
  id text PRIMARY KEY NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  first_name text,
  last_name text,
  address text,
  address2 text,
  country text,
  state text,
  zip text,
  created_at_ms integer NOT NULL
);

CREATE UNIQUE INDEX users_email_unique ON users (email);