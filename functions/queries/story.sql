-- What happened to one machine between two times, and who did it.
--
-- Of one moment, what equipment says comes before what others do about it.
--
-- :equipment  the machine's id
-- :after      from this time on, UTC, such as 2026-11-21T09:00 (default: 2020-01-01)
-- :before     until before this time (default: 9999-12-31)
SELECT
  happened_at,
  type,
  CASE
    WHEN type = 'state-reported'
      THEN
        json_extract_scalar(detail, '$.state.state')
        || coalesce(': ' || json_extract_scalar(detail, '$.state.detail'), '')
    WHEN type = 'operator-assigned'
      THEN json_extract_scalar(detail, '$.assignment.operator') || ' to ' || json_extract_scalar(detail, '$.assignment.state')
    WHEN type = 'crew-assigned'
      THEN json_extract_scalar(detail, '$.crew.lead') || ' to ' || json_extract_scalar(detail, '$.crew.state')
    WHEN type = 'state-escalated'
      THEN json_extract_scalar(detail, '$.escalation.state') || ' to ' || json_extract_scalar(detail, '$.escalation.supervisor')
    WHEN type = 'state-acknowledged' THEN json_extract_scalar(detail, '$.acknowledgement.state')
    WHEN type = 'equipment-at-risk' THEN json_extract_scalar(detail, '$.risk.reason')
    WHEN type = 'trouble-told'
      THEN json_extract_scalar(detail, '$.telling.person') || ' told by ' || json_extract_scalar(detail, '$.telling.channel')
    WHEN type = 'anomaly-detected'
      THEN
        json_extract_scalar(detail, '$.anomaly.kind')
        || ' of ' || json_extract_scalar(detail, '$.anomaly.state')
        || ', model ' || json_extract_scalar(detail, '$.anomaly.model')
    WHEN type IN ('equipment-silent', 'equipment-back') THEN 'since ' || json_extract_scalar(detail, '$.silence.since')
    WHEN type = 'maintenance-finished'
      THEN json_extract_scalar(detail, '$.order.kind') || ', ' || json_extract_scalar(detail, '$.order.result')
    WHEN type IN ('maintenance-planned', 'maintenance-moved', 'maintenance-started')
      THEN json_extract_scalar(detail, '$.order.kind') || ' for ' || json_extract_scalar(detail, '$.order.plannedFor')
    WHEN type = 'maintenance-overdue'
      THEN json_extract_scalar(detail, '$.overdue.kind') || ' for ' || json_extract_scalar(detail, '$.overdue.plannedFor')
    WHEN type = 'audit-recorded'
      THEN json_extract_scalar(detail, '$.audit.part') || ' ' || json_extract_scalar(detail, '$.audit.result')
    WHEN type IN ('equipment-created', 'equipment-updated', 'equipment-undeleted')
      THEN
        json_extract_scalar(detail, '$.equipment.name')
        || ', ' || json_extract_scalar(detail, '$.equipment.factoryId')
        || ', ' || json_extract_scalar(detail, '$.equipment.lineId')
    WHEN type IN ('machine-created', 'machine-updated', 'machine-undeleted')
      THEN
        json_extract_scalar(detail, '$.machine.name')
        || ', ' || json_extract_scalar(detail, '$.machine.factoryId')
        || ', ' || json_extract_scalar(detail, '$.machine.lineId')
  END AS what,
  actor AS who
FROM facts
WHERE subject = :equipment AND happened_at >= :after AND happened_at < :before
ORDER BY timestamp_ms, CASE WHEN source LIKE 'equipment%' THEN 0 ELSE 1 END, type, id
