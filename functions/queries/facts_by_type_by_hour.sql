-- How many facts there were of each type, in each hour that they speak of, UTC.
SELECT substr(happened_at, 1, 13) || ':00Z' AS hour, source, type, count(*) AS facts
FROM facts
GROUP BY substr(happened_at, 1, 13) || ':00Z', source, type
ORDER BY hour, source, type
