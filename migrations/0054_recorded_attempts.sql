-- The payment that the operator recorded by hand for an attempt's money.
ALTER TABLE payments ADD COLUMN recorded_as text;
