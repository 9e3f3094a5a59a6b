-- A statement that inserts the name of a violated guard here makes its whole batch fail
-- (src/server/platform/db/guards.ts).
CREATE VIEW guard_violations AS SELECT '' AS guard;
CREATE TRIGGER guard_violated INSTEAD OF INSERT ON guard_violations BEGIN
  SELECT RAISE(ABORT, 'guard violated: ' || new.guard);
END;
