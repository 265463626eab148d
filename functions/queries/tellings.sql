-- Who is told, by which channel, how long after they were asked to come, and what failed.
--
-- messages: those that the channel took; repeated: of these, perhaps for the second time. failed: those that it did not
-- take; of the channel `none`, those that nobody told, or nobody in time.
-- requests: those for help of which the person heard by this channel first; of the channel `none`, those of which
-- nobody told them, for whatever reason: who has seen a log is told of it no more.
WITH messages AS (
  SELECT
    subject AS person,
    coalesce(json_extract_scalar(detail, '$.told.channel'), json_extract_scalar(detail, '$.failure.channel'), 'none')
      AS channel,
    type = 'person-told' AS is_told,
    coalesce(json_extract_scalar(detail, '$.told.repeated'), 'false') = 'true' AS is_repeated
  FROM facts
  WHERE source = 'notify' AND type IN ('person-told', 'delivery-failed')
),
told AS (
  SELECT
    subject AS equipment_id,
    json_extract_scalar(detail, '$.telling.person') AS person,
    json_extract_scalar(detail, '$.telling.channel') AS channel,
    timestamp_ms AS told_ms,
    detail
  FROM facts
  WHERE source = 'notify' AND type = 'trouble-told'
),
heard AS (
  SELECT
    requests.person,
    coalesce(min_by(told.channel, lpad(CAST(told.told_ms AS varchar), 13, '0') || told.channel), 'none') AS channel,
    (min(told.told_ms) - max(requests.asked_ms)) / 1e3 AS seconds
  FROM requests
  LEFT JOIN told
    ON
      told.equipment_id = requests.equipment_id
      AND told.person = requests.person
      AND told.told_ms >= requests.asked_ms
      AND strpos(told.detail, requests.about) > 0
  GROUP BY requests.id, requests.person
)
SELECT
  person,
  channel,
  sum(message) AS messages,
  sum(repeat_of_one) AS repeated,
  sum(failure) AS failed,
  sum(request) AS requests,
  round(approx_percentile(seconds, 0.5), 1) AS median_seconds,
  round(approx_percentile(seconds, 0.9), 1) AS nine_of_ten_within_seconds
FROM (
  SELECT
    person,
    channel,
    CASE WHEN is_told THEN 1 ELSE 0 END AS message,
    CASE WHEN is_repeated THEN 1 ELSE 0 END AS repeat_of_one,
    CASE WHEN is_told THEN 0 ELSE 1 END AS failure,
    0 AS request,
    CAST(NULL AS double) AS seconds
  FROM messages
  UNION ALL
  SELECT
    person,
    channel,
    0 AS message,
    0 AS repeat_of_one,
    0 AS failure,
    1 AS request,
    seconds
  FROM heard
) AS counted
GROUP BY person, channel
ORDER BY person, messages DESC, channel
