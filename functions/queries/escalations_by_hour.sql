-- Escalations by hour of the week, UTC: when is nobody there in time?
--
-- weekday: 1 is Monday. by_rule: those that the rule escalated because nobody acknowledged.
SELECT
  day_of_week(from_unixtime(timestamp_ms / 1e3)) AS weekday,
  hour(from_unixtime(timestamp_ms / 1e3)) AS hour,
  count(*) AS escalations,
  sum(CASE WHEN json_extract_scalar(detail, '$.escalation.by') = 'rule' THEN 1 ELSE 0 END) AS by_rule
FROM facts
WHERE source = 'dispatch' AND type = 'state-escalated'
GROUP BY day_of_week(from_unixtime(timestamp_ms / 1e3)), hour(from_unixtime(timestamp_ms / 1e3))
ORDER BY weekday, hour
