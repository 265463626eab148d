-- How long maintenance of each kind takes, from its start to its end.
--
-- planned_minutes: the median of what was expected, of those that were started. late: finished, or skipped, after the
-- day (UTC) that they were planned for.
SELECT
  kind,
  count_if(started_ms IS NOT NULL) AS finished,
  count_if(result = 'partly') AS partly,
  count_if(result = 'skipped') AS skipped,
  count_if(finished_ms >= to_unixtime(from_iso8601_timestamp(planned_for || 'T00:00:00Z')) * 1e3 + 8.64e7) AS late,
  approx_percentile(CASE WHEN started_ms IS NOT NULL THEN planned_minutes END, 0.5) AS planned_minutes,
  round(approx_percentile((finished_ms - started_ms) / 6e4, 0.5), 1) AS median_minutes,
  round(approx_percentile((finished_ms - started_ms) / 6e4, 0.9), 1) AS nine_of_ten_within_minutes
FROM orders
WHERE finished_ms IS NOT NULL
GROUP BY kind
ORDER BY median_minutes DESC NULLS LAST, kind
