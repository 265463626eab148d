-- Planned stops against unplanned ones: how many there were on each line, and for how long.
--
-- A planned stop is maintenance that was finished, from its start on. An unplanned one is when a machine stops while no
-- maintenance of it is under way.
SELECT
  coalesce(factory_id, '(not registered)') AS factory,
  coalesce(line_id, '(not registered)') AS line,
  count_if(is_planned) AS planned_stops,
  round(sum(CASE WHEN is_planned THEN ended_ms - began_ms ELSE 0 END) / 3.6e6, 2) AS planned_hours,
  count_if(NOT is_planned) AS unplanned_stops,
  round(sum(CASE WHEN is_planned THEN 0 ELSE ended_ms - began_ms END) / 3.6e6, 2) AS unplanned_hours,
  round(1e2 * count_if(is_planned) / count(*), 1) AS planned_percent
FROM (
  SELECT
    equipment_id,
    TRUE AS is_planned,
    started_ms AS began_ms,
    finished_ms AS ended_ms
  FROM orders
  WHERE started_ms IS NOT NULL AND finished_ms IS NOT NULL
  UNION ALL
  SELECT
    runs.equipment_id,
    FALSE AS is_planned,
    began_ms,
    ended_ms
  FROM runs
  LEFT JOIN orders
    ON
      orders.equipment_id = runs.equipment_id
      AND orders.started_ms <= runs.began_ms
      AND coalesce(orders.finished_ms, 9e15) > runs.began_ms
  WHERE is_down AND orders.equipment_id IS NULL
) AS stops
LEFT JOIN places ON places.equipment_id = stops.equipment_id
GROUP BY coalesce(factory_id, '(not registered)'), coalesce(line_id, '(not registered)')
ORDER BY planned_percent, factory, line
