-- A customer who orders by phone may have no email address, so emails to them are not queued.
CREATE TRIGGER outbox_without_recipient BEFORE INSERT ON outbox WHEN NEW.recipient NOT LIKE '%@%'
BEGIN
  SELECT RAISE(IGNORE);
END;
