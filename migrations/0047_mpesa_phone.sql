-- The M-Pesa number that prefills checkout.
ALTER TABLE users ADD COLUMN mpesa_phone text;
