"""The facts that equipment publishes of its rows."""

from andon.events.fact import Facts, lifecycle_types
from contract.entities.equipment import AuditEntity, ConnectionEntity, EquipmentEntity, StateEntity
from services.equipment import audit, connection, metadata, state

FACTS = Facts(
    source="equipment",
    types=lifecycle_types(metadata.DISCRIMINATOR)
    | {audit.AUDIT_RECORDED, connection.CONNECTION_BACK, connection.CONNECTION_LOST, state.STATE_REPORTED},
    of={
        metadata.DISCRIMINATOR: metadata.equipment_changed,
        audit.DISCRIMINATOR: audit.audit_recorded,
        connection.DISCRIMINATOR: connection.connection_changed,
        state.DISCRIMINATOR: state.state_reported,
    },
    entities={
        **dict.fromkeys(lifecycle_types(metadata.DISCRIMINATOR), EquipmentEntity),
        audit.AUDIT_RECORDED: AuditEntity,
        connection.CONNECTION_BACK: ConnectionEntity,
        connection.CONNECTION_LOST: ConnectionEntity,
        state.STATE_REPORTED: StateEntity,
    },
)
