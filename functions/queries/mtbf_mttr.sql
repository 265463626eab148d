-- Mean time between failures, and mean time to repair: per machine, line and factory.
--
-- A failure is when a machine stops running. MTBF is the time that it ran, divided by its failures; MTTR is the mean of
-- those that were repaired. What never failed has no MTBF.
SELECT
  CASE grouping(factory_id, line_id, equipment_id) WHEN 0 THEN 'machine' WHEN 1 THEN 'line' ELSE 'factory' END AS level,
  factory_id AS factory,
  line_id AS line,
  equipment_id AS machine,
  count_if(is_down) AS failures,
  round(sum(CASE WHEN is_down THEN 0 ELSE ended_ms - began_ms END) / 3.6e6 / nullif(count_if(is_down), 0), 2) AS mtbf_hours,
  round(avg(CASE WHEN is_down AND is_over THEN ended_ms - began_ms END) / 6e4, 1) AS mttr_minutes,
  round(sum(ended_ms - began_ms) / 3.6e6, 1) AS observed_hours
FROM (
  SELECT
    coalesce(factory_id, '(not registered)') AS factory_id,
    coalesce(line_id, '(not registered)') AS line_id,
    runs.equipment_id,
    is_down,
    is_over,
    began_ms,
    ended_ms
  FROM runs
  LEFT JOIN places ON places.equipment_id = runs.equipment_id
) AS placed
GROUP BY GROUPING SETS ((factory_id, line_id, equipment_id), (factory_id, line_id), (factory_id))
ORDER BY level, mtbf_hours NULLS LAST, factory, line, machine
