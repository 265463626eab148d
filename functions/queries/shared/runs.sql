-- How long each machine ran and stood, in turns. It stands from a report of ERROR until it reports anything else.
--
-- A report counts until the machine's next one, so what happened after its last one is not known.
-- is_over: whether a report ended the turn.
SELECT
  equipment_id,
  is_down,
  began_ms,
  coalesce(lead(began_ms) OVER (PARTITION BY equipment_id ORDER BY began_ms), last_ms) AS ended_ms,
  lead(began_ms) OVER (PARTITION BY equipment_id ORDER BY began_ms) IS NOT NULL AS is_over
FROM (
  SELECT
    equipment_id,
    timestamp_ms AS began_ms,
    is_down,
    lag(is_down) OVER (PARTITION BY equipment_id ORDER BY timestamp_ms, id) AS was_down,
    max(timestamp_ms) OVER (PARTITION BY equipment_id) AS last_ms
  FROM (
    SELECT
      subject AS equipment_id,
      timestamp_ms,
      id,
      json_extract_scalar(detail, '$.state.state') = 'ERROR' AS is_down
    FROM facts
    WHERE source = 'equipment' AND type = 'state-reported'
  ) AS reports
) AS followed
WHERE was_down IS NULL OR was_down <> is_down
