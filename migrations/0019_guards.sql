-- A batch fails, all of it, when a statement inserts the name of a violated guard here (src/server/platform/db/guards.ts).
CREATE VIEW guard_violations AS SELECT '' AS guard;
CREATE TRIGGER guard_violated INSTEAD OF INSERT ON guard_violations BEGIN
  SELECT RAISE(ABORT, 'guard violated: ' || new.guard);
END;
