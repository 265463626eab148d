-- Each operator's load and response times.
--
-- logs: the reports that were assigned to the operator, or to a crew that the operator leads, by a rule or a person. A
-- response time is from the report to its acknowledgement; it counts for whoever the report was assigned to at that
-- time.
WITH assignments AS (
  SELECT
    subject AS equipment_id,
    coalesce(json_extract_scalar(detail, '$.assignment.state'), json_extract_scalar(detail, '$.crew.state')) AS state,
    coalesce(json_extract_scalar(detail, '$.assignment.timestamp'), json_extract_scalar(detail, '$.crew.timestamp'))
      AS reported_at,
    coalesce(json_extract_scalar(detail, '$.assignment.operator'), json_extract_scalar(detail, '$.crew.lead'))
      AS operator,
    timestamp_ms,
    -- The order of facts: by time, then by service, then by id.
    lpad(CAST(timestamp_ms AS varchar), 13, '0') || '#' || source || '#' || id AS oplock
  FROM facts
  WHERE
    (source = 'dispatch' AND type = 'operator-assigned')
    OR (source = 'dispatch2' AND type = 'crew-assigned')
),
acknowledgements AS (
  SELECT
    subject AS equipment_id,
    json_extract_scalar(detail, '$.acknowledgement.state') AS state,
    json_extract_scalar(detail, '$.acknowledgement.timestamp') AS reported_at,
    min(timestamp_ms) AS acknowledged_ms
  FROM facts
  WHERE source = 'dispatch' AND type = 'state-acknowledged'
  GROUP BY
    subject,
    json_extract_scalar(detail, '$.acknowledgement.state'),
    json_extract_scalar(detail, '$.acknowledgement.timestamp')
),
responses AS (
  SELECT
    max_by(assignments.operator, assignments.oplock) AS operator,
    (acknowledgements.acknowledged_ms - to_unixtime(from_iso8601_timestamp(acknowledgements.reported_at)) * 1e3) / 6e4
      AS minutes
  FROM acknowledgements
  INNER JOIN assignments
    ON
      assignments.equipment_id = acknowledgements.equipment_id
      AND assignments.state = acknowledgements.state
      AND assignments.reported_at = acknowledgements.reported_at
      AND assignments.timestamp_ms <= acknowledgements.acknowledged_ms
  GROUP BY
    acknowledgements.equipment_id,
    acknowledgements.state,
    acknowledgements.reported_at,
    acknowledgements.acknowledged_ms
),
loads AS (
  SELECT
    operator,
    count(DISTINCT equipment_id || '#' || state || '#' || reported_at) AS logs,
    count(DISTINCT equipment_id) AS machines
  FROM assignments
  GROUP BY operator
),
paces AS (
  SELECT
    operator,
    count(*) AS acknowledged,
    approx_percentile(minutes, 0.5) AS median,
    approx_percentile(minutes, 0.9) AS nine_of_ten
  FROM responses
  GROUP BY operator
)
SELECT
  loads.operator,
  logs,
  machines,
  coalesce(acknowledged, 0) AS acknowledged,
  round(median, 1) AS median_response_minutes,
  round(nine_of_ten, 1) AS nine_of_ten_within_minutes
FROM loads
LEFT JOIN paces ON paces.operator = loads.operator
ORDER BY logs DESC, loads.operator
