-- Every fact of the lake once, however often it was published: a fact is named by its service and its id.
--
-- :since  first day of the lake, UTC: of when the bus took the fact (default: 2020-01-01)
-- :until  last day, inclusive (default: 9999-12-31)
SELECT
  source,
  type,
  id,
  subject,
  CAST(json_extract_scalar(detail, '$.timestamp') AS bigint) AS timestamp_ms,
  to_iso8601(from_unixtime(CAST(json_extract_scalar(detail, '$.timestamp') AS bigint) / 1e3)) AS happened_at,
  json_extract_scalar(detail, '$.tags.actor') AS actor,
  detail
FROM (
  SELECT
    source,
    detail_type AS type,
    json_extract_scalar(detail, '$.id') AS id,
    json_extract_scalar(detail, '$.partitionKey') AS subject,
    min(detail) AS detail
  FROM events
  WHERE day BETWEEN :since AND :until
  -- An id has one type and one subject. They stand here so that conditions on them are applied before rows are grouped.
  GROUP BY
    source,
    detail_type,
    json_extract_scalar(detail, '$.id'),
    json_extract_scalar(detail, '$.partitionKey')
) AS counted
