-- Where each machine is by its newest registration in either version of the service, whenever that was: so this looks at
-- all days. Of one millisecond that of equipment2 is the newer one.
SELECT
  equipment_id,
  max_by(factory_id, registered) AS factory_id,
  max_by(line_id, registered) AS line_id
FROM (
  SELECT
    coalesce(json_extract_scalar(detail, '$.equipment.id'), json_extract_scalar(detail, '$.machine.id')) AS equipment_id,
    coalesce(json_extract_scalar(detail, '$.equipment.factoryId'), json_extract_scalar(detail, '$.machine.factoryId'))
      AS factory_id,
    coalesce(json_extract_scalar(detail, '$.equipment.lineId'), json_extract_scalar(detail, '$.machine.lineId'))
      AS line_id,
    lpad(json_extract_scalar(detail, '$.timestamp'), 13, '0') || source AS registered
  FROM events
  WHERE
    (
      source = 'equipment'
      AND detail_type IN ('equipment-created', 'equipment-updated', 'equipment-deleted', 'equipment-undeleted')
    )
    OR (
      source = 'equipment2'
      AND detail_type IN ('machine-created', 'machine-updated', 'machine-deleted', 'machine-undeleted')
    )
) AS registrations
GROUP BY equipment_id
