-- What each machine usually does: reports in an hour, and seconds until the next, by state.
--
-- An hour counts if it has such a report. Each has a median, the median of the distances from it (MAD), and the number of observations. A report counts once,
-- under however many ids it was published. `make train` makes a model of the answer.
WITH reports AS (
  SELECT DISTINCT
    json_extract_scalar(detail, '$.state.equipmentId') AS equipment_id,
    json_extract_scalar(detail, '$.state.state') AS state,
    timestamp_ms
  FROM facts
  WHERE source = 'equipment' AND type = 'state-reported'
),
machines AS (
  SELECT
    equipment_id,
    count(*) AS reports,
    count(DISTINCT floor(timestamp_ms / 3.6e6)) AS hours,
    max(timestamp_ms) AS newest_ms
  FROM reports
  GROUP BY equipment_id
),
observed AS (
  SELECT 'rate' AS kind, equipment_id, state, CAST(count(*) AS double) AS number
  FROM reports
  GROUP BY equipment_id, state, floor(timestamp_ms / 3.6e6)
  UNION ALL
  SELECT 'gap' AS kind, equipment_id, state, (next_ms - timestamp_ms) / 1e3 AS number
  FROM (
    SELECT
      equipment_id,
      state,
      timestamp_ms,
      lead(timestamp_ms) OVER (PARTITION BY equipment_id ORDER BY timestamp_ms, state) AS next_ms
    FROM reports
  ) AS followed
  WHERE next_ms IS NOT NULL
),
medians AS (
  SELECT kind, equipment_id, state, avg(number) AS median, max(observations) AS observations
  FROM (
    SELECT
      kind,
      equipment_id,
      state,
      number,
      row_number() OVER (PARTITION BY kind, equipment_id, state ORDER BY number) AS place,
      count(*) OVER (PARTITION BY kind, equipment_id, state) AS observations
    FROM observed
  ) AS ranked
  WHERE 2 * place BETWEEN observations AND observations + 2
  GROUP BY kind, equipment_id, state
),
mads AS (
  SELECT kind, equipment_id, state, avg(distance) AS mad
  FROM (
    SELECT
      observed.kind,
      observed.equipment_id,
      observed.state,
      abs(number - median) AS distance,
      observations,
      row_number() OVER (
        PARTITION BY observed.kind, observed.equipment_id, observed.state ORDER BY abs(number - median)
      ) AS place
    FROM observed
    INNER JOIN medians
      ON medians.kind = observed.kind
      AND medians.equipment_id = observed.equipment_id
      AND medians.state = observed.state
  ) AS ranked
  WHERE 2 * place BETWEEN observations AND observations + 2
  GROUP BY kind, equipment_id, state
)
SELECT
  medians.equipment_id AS machine,
  medians.state,
  medians.kind,
  median,
  mad,
  observations,
  reports,
  hours,
  newest_ms
FROM medians
INNER JOIN mads
  ON mads.kind = medians.kind AND mads.equipment_id = medians.equipment_id AND mads.state = medians.state
INNER JOIN machines ON machines.equipment_id = medians.equipment_id
ORDER BY machine, medians.state, medians.kind
