-- What costs the most time, by cause and factory.
--
-- Of each cause the minutes that machines stood in trouble that was explained by it, and those that calls took which
-- were closed with it. A call that was raised while explained trouble went on counts without its minutes: they are that
-- trouble's.
-- cumulative_percent: of the minutes of this cause and of all that cost more.
SELECT
  factory,
  cause,
  stops,
  calls,
  round(minutes, 1) AS minutes,
  round(1e2 * minutes / nullif(sum(minutes) OVER (PARTITION BY factory), 0), 1) AS percent,
  round(
    1e2 * sum(minutes) OVER (PARTITION BY factory ORDER BY minutes DESC, cause)
    / nullif(sum(minutes) OVER (PARTITION BY factory), 0), 1
  ) AS cumulative_percent
FROM (
  SELECT
    factory_id AS factory,
    cause,
    count_if(is_stop) AS stops,
    count_if(NOT is_stop) AS calls,
    sum(lost_ms) / 6e4 AS minutes
  FROM (
    SELECT
      explained.factory_id,
      explained.cause,
      TRUE AS is_stop,
      coalesce(sum(runs.ended_ms - runs.began_ms), 0) AS lost_ms
    FROM explained
    LEFT JOIN runs
      ON
        runs.equipment_id = explained.equipment_id
        AND runs.is_down
        AND runs.began_ms >= explained.began_ms
        AND runs.began_ms < coalesce(explained.ended_ms, 9e15)
    GROUP BY explained.equipment_id, explained.factory_id, explained.cause, explained.began_ms
    UNION ALL
    SELECT
      calls.factory_id,
      calls.cause,
      FALSE AS is_stop,
      CASE WHEN count(explained.cause) = 0 THEN max(calls.ended_ms) - max(calls.raised_ms) ELSE 0 END AS lost_ms
    FROM calls
    LEFT JOIN explained
      ON
        explained.equipment_id = calls.equipment_id
        AND explained.began_ms <= calls.raised_ms
        AND calls.raised_ms < coalesce(explained.ended_ms, 9e15)
    WHERE calls.cause IS NOT NULL
    GROUP BY calls.equipment_id, calls.factory_id, calls.cause, calls.category, calls.raised_ms
  ) AS lost
  GROUP BY factory_id, cause
) AS summed
ORDER BY factory, minutes DESC, cause
