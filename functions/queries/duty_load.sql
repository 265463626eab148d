-- How much is asked of each person by day and by night, and how soon somebody answers.
--
-- Night is from 22:00 to 06:00. messages: those that the person was told. answered: the requests of which somebody, the
-- person or another one, acknowledged the log, or took or ended the call, afterwards.
--
-- :ahead  hours by which the clock is ahead of UTC, such as -6 (default: 0)
WITH answers AS (
  SELECT
    subject AS equipment_id,
    coalesce(
      json_extract_scalar(detail, '$.acknowledgement.timestamp'), json_extract_scalar(detail, '$.call.id')
    ) AS about,
    min(timestamp_ms) AS answered_ms
  FROM facts
  WHERE
    (source = 'dispatch' AND type = 'state-acknowledged')
    OR (source = 'calls' AND type IN ('call-taken', 'call-closed', 'call-rejected'))
  GROUP BY
    subject,
    coalesce(
      json_extract_scalar(detail, '$.acknowledgement.timestamp'), json_extract_scalar(detail, '$.call.id')
    )
),
loads AS (
  SELECT
    requests.person,
    requests.asked_ms AS at_ms,
    1 AS request,
    CASE WHEN requests.urgency = 'high' THEN 1 ELSE 0 END AS urgent,
    0 AS message,
    (answers.answered_ms - requests.asked_ms) / 6e4 AS minutes
  FROM requests
  LEFT JOIN answers
    ON
      answers.equipment_id = requests.equipment_id
      AND answers.about = requests.about
      AND answers.answered_ms >= requests.asked_ms
  UNION ALL
  SELECT
    subject AS person,
    timestamp_ms AS at_ms,
    0 AS request,
    0 AS urgent,
    1 AS message,
    CAST(NULL AS double) AS minutes
  FROM facts
  WHERE source = 'notify' AND type = 'person-told'
)
SELECT
  person,
  part,
  sum(request) AS requests,
  sum(urgent) AS urgent,
  sum(message) AS messages,
  count(minutes) AS answered,
  round(approx_percentile(minutes, 0.5), 1) AS median_minutes_to_answer,
  round(approx_percentile(minutes, 0.9), 1) AS nine_of_ten_answered_within
FROM (
  SELECT
    person,
    request,
    urgent,
    message,
    minutes,
    -- Two hours later by the clock it is night for the first eight hours of a day.
    CASE WHEN (at_ms / 3.6e6 + CAST(:ahead AS double) + 2) % 24 < 8 THEN 'night' ELSE 'day' END AS part
  FROM loads
) AS parts
GROUP BY person, part
ORDER BY person, part
