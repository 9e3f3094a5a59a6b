ALTER TABLE draft_content RENAME COLUMN name TO key;
