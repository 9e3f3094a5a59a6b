-- The office finds orders by email and by phone number in any format.
CREATE INDEX orders_email ON orders (lower(email));
CREATE INDEX orders_phone_digits ON orders (ltrim(replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '(', ''), ')', ''), '+', ''), '0'));
DROP INDEX orders_phone;
