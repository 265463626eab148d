-- Each episode of trouble that somebody has explained, by the newest word: its cause, its beginning, and its end, the
-- next report of NORMAL (null: not yet).
SELECT
  said.equipment_id,
  said.factory_id,
  said.cause,
  said.began_ms,
  min(facts.timestamp_ms) AS ended_ms
FROM (
  SELECT
    subject AS equipment_id,
    json_extract_scalar(newest, '$.cause.factoryId') AS factory_id,
    json_extract_scalar(newest, '$.cause.cause') AS cause,
    to_unixtime(from_iso8601_timestamp(json_extract_scalar(newest, '$.cause.startedAt'))) * 1e3 AS began_ms
  FROM (
    SELECT
      subject,
      max_by(detail, CAST(json_extract_scalar(detail, '$.cause.version') AS integer)) AS newest
    FROM facts
    WHERE source = 'calls' AND type = 'cause-recorded'
    GROUP BY subject, json_extract_scalar(detail, '$.cause.startedAt')
  ) AS versions
) AS said
LEFT JOIN facts
  ON
    facts.source = 'equipment'
    AND facts.type = 'state-reported'
    AND facts.subject = said.equipment_id
    AND json_extract_scalar(facts.detail, '$.state.state') = 'NORMAL'
    AND facts.timestamp_ms > said.began_ms
GROUP BY said.equipment_id, said.factory_id, said.cause, said.began_ms
