-- The table of the legacy system. Its programs write it as they always did.
CREATE TABLE asset (
  asset_no TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  plant TEXT NOT NULL,
  line TEXT NOT NULL,
  company TEXT NOT NULL,
  country TEXT,
  region TEXT,
  state TEXT,
  county TEXT,
  city TEXT,
  district TEXT,
  inspector TEXT  -- nobody else knows of him
) STRICT;

-- All below is new, and stands beside it.

-- The newest edit of each asset, also of one that was deleted: when (epoch milliseconds), and on which side.
CREATE TABLE edit (asset_no TEXT PRIMARY KEY, edited_ms INTEGER NOT NULL, origin TEXT NOT NULL) STRICT;

-- What was edited here and is not published yet, in order; content: JSON.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  asset_no TEXT NOT NULL,
  edited_ms INTEGER NOT NULL,
  content TEXT NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;

-- The latch: closed within the transaction that writes what was edited elsewhere, so that no trigger notes it.
CREATE TABLE latch (closed INTEGER NOT NULL) STRICT;
INSERT INTO latch VALUES (0);

CREATE VIEW published (asset_no, content) AS SELECT asset_no, json_object(
  'description', description, 'plant', plant, 'line', line, 'company', company, 'country', country, 'region', region,
  'state', state, 'county', county, 'city', city, 'district', district) FROM asset;

-- `now_ms()` is the clock of the legacy system. An edit is later than the one that it changes, whatever the clock says.
CREATE TRIGGER asset_inserted AFTER INSERT ON asset WHEN NOT (SELECT closed FROM latch) BEGIN
  INSERT INTO edit VALUES (NEW.asset_no, now_ms(), 'legacy')
    ON CONFLICT DO UPDATE SET edited_ms = max(excluded.edited_ms, edited_ms + 1), origin = 'legacy';
  INSERT INTO outbox (asset_no, edited_ms, content, deleted)
    SELECT asset_no, edited_ms, content, 0 FROM edit JOIN published USING (asset_no) WHERE asset_no = NEW.asset_no;
END;

CREATE TRIGGER asset_updated AFTER UPDATE ON asset WHEN NOT (SELECT closed FROM latch) BEGIN
  UPDATE edit SET edited_ms = max(now_ms(), edited_ms + 1), origin = 'legacy' WHERE asset_no = NEW.asset_no;
  INSERT INTO outbox (asset_no, edited_ms, content, deleted)
    SELECT asset_no, edited_ms, content, 0 FROM edit JOIN published USING (asset_no) WHERE asset_no = NEW.asset_no;
END;

CREATE TRIGGER asset_deleted BEFORE DELETE ON asset WHEN NOT (SELECT closed FROM latch) BEGIN
  UPDATE edit SET edited_ms = max(now_ms(), edited_ms + 1), origin = 'legacy' WHERE asset_no = OLD.asset_no;
  INSERT INTO outbox (asset_no, edited_ms, content, deleted)
    SELECT asset_no, edited_ms, content, 1 FROM edit JOIN published USING (asset_no) WHERE asset_no = OLD.asset_no;
END;
