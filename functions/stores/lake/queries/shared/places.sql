-- Where each machine is by its newest registration, whenever that was: so this looks at all days.
SELECT
  json_extract_scalar(detail, '$.equipment.id') AS equipment_id,
  max_by(json_extract_scalar(detail, '$.equipment.factoryId'), json_extract_scalar(detail, '$.timestamp')) AS factory_id,
  max_by(json_extract_scalar(detail, '$.equipment.lineId'), json_extract_scalar(detail, '$.timestamp')) AS line_id
FROM events
WHERE
  source = 'equipment'
  AND detail_type IN ('equipment-created', 'equipment-updated', 'equipment-deleted', 'equipment-undeleted')
GROUP BY json_extract_scalar(detail, '$.equipment.id')
