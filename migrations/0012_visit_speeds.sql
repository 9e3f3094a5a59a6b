-- The number of visits per day and speed. Nothing about the visitor is stored.
CREATE TABLE visit_speeds (
  day text NOT NULL,
  page text NOT NULL,
  metric text NOT NULL,
  figure real NOT NULL,
  visits integer NOT NULL,
  PRIMARY KEY (day,page,metric,figure)
) WITHOUT ROWID;
