-- Each call for help, as its newest fact says it: when it was raised, first taken and ended (null: not yet), and how.
SELECT
  subject AS equipment_id,
  json_extract_scalar(newest, '$.call.factoryId') AS factory_id,
  json_extract_scalar(newest, '$.call.lineId') AS line_id,
  json_extract_scalar(newest, '$.call.category') AS category,
  json_extract_scalar(newest, '$.call.status') AS status,
  json_extract_scalar(newest, '$.call.cause') AS cause,
  to_unixtime(from_iso8601_timestamp(json_extract_scalar(newest, '$.call.raisedAt'))) * 1e3 AS raised_ms,
  to_unixtime(from_iso8601_timestamp(json_extract_scalar(newest, '$.call.takenAt'))) * 1e3 AS taken_ms,
  to_unixtime(from_iso8601_timestamp(json_extract_scalar(newest, '$.call.endedAt'))) * 1e3 AS ended_ms
FROM (
  SELECT
    subject,
    max_by(detail, CAST(json_extract_scalar(detail, '$.call.version') AS integer)) AS newest
  FROM facts
  WHERE source = 'calls' AND type LIKE 'call-%'
  GROUP BY subject, json_extract_scalar(detail, '$.call.id')
) AS versions
