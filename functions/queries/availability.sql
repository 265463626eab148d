-- Availability per line, the first factor of OEE: the share of the time in which its machines ran.
--
-- The time is what is known of the machines: from the first report of each to its last.
SELECT
  coalesce(factory_id, '(not registered)') AS factory,
  coalesce(line_id, '(not registered)') AS line,
  count(DISTINCT runs.equipment_id) AS machines,
  round(sum(ended_ms - began_ms) / 3.6e6, 1) AS observed_hours,
  round(sum(CASE WHEN is_down THEN ended_ms - began_ms ELSE 0 END) / 3.6e6, 1) AS down_hours,
  round(100 - 1e2 * sum(CASE WHEN is_down THEN ended_ms - began_ms ELSE 0 END) / nullif(sum(ended_ms - began_ms), 0), 2)
    AS availability_percent
FROM runs
LEFT JOIN places ON places.equipment_id = runs.equipment_id
GROUP BY coalesce(factory_id, '(not registered)'), coalesce(line_id, '(not registered)')
ORDER BY availability_percent, factory, line
