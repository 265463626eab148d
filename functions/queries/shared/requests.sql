-- Each request for help: whom a chain asked, when, how urgently, and about what: the time of a log, or the id of a call.
SELECT
  id,
  subject AS equipment_id,
  json_extract_scalar(detail, '$.help.person') AS person,
  json_extract_scalar(detail, '$.help.factoryId') AS factory_id,
  json_extract_scalar(detail, '$.help.urgency') AS urgency,
  coalesce(json_extract_scalar(detail, '$.help.about.callId'), json_extract_scalar(detail, '$.help.about.timestamp'))
    AS about,
  timestamp_ms AS asked_ms
FROM facts
WHERE source = 'dispatch' AND type = 'help-requested'
