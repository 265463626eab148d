-- How soon people come when somebody calls for help, and how soon it is over: by factory and category.
--
-- What is over without anybody having taken it has no time to take. Rejected calls count as raised alone.
SELECT
  factory_id AS factory,
  category,
  count(*) AS raised,
  count_if(ended_ms IS NULL) AS open,
  count_if(status = 'rejected') AS rejected,
  round(approx_percentile(CASE WHEN status <> 'rejected' THEN (taken_ms - raised_ms) / 6e4 END, 0.5), 1)
    AS median_minutes_to_take,
  round(approx_percentile(CASE WHEN status <> 'rejected' THEN (taken_ms - raised_ms) / 6e4 END, 0.9), 1)
    AS nine_of_ten_taken_within,
  round(approx_percentile(CASE WHEN status = 'closed' THEN (ended_ms - raised_ms) / 6e4 END, 0.5), 1)
    AS median_minutes_to_close,
  round(approx_percentile(CASE WHEN status = 'closed' THEN (ended_ms - raised_ms) / 6e4 END, 0.9), 1)
    AS nine_of_ten_closed_within
FROM calls
GROUP BY factory_id, category
ORDER BY median_minutes_to_take DESC NULLS LAST, factory, category
