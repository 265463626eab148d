-- Each order of maintenance, as its newest fact says it: when it was started and finished (null: not), and how.
--
-- planned_minutes: how long it was expected to take, if somebody said that.
SELECT
  subject AS equipment_id,
  json_extract_scalar(newest, '$.order.kind') AS kind,
  json_extract_scalar(newest, '$.order.date') AS first_planned_for,
  json_extract_scalar(newest, '$.order.plannedFor') AS planned_for,
  CAST(json_extract_scalar(newest, '$.order.minutes') AS integer) AS planned_minutes,
  json_extract_scalar(newest, '$.order.result') AS result,
  to_unixtime(from_iso8601_timestamp(json_extract_scalar(newest, '$.order.startedAt'))) * 1e3 AS started_ms,
  to_unixtime(from_iso8601_timestamp(json_extract_scalar(newest, '$.order.finishedAt'))) * 1e3 AS finished_ms
FROM (
  SELECT
    subject,
    max_by(detail, CAST(json_extract_scalar(detail, '$.order.version') AS integer)) AS newest
  FROM facts
  WHERE source = 'maintenance'
  GROUP BY subject, json_extract_scalar(detail, '$.order.date'), json_extract_scalar(detail, '$.order.kind')
) AS versions
