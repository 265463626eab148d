"""The facts that equipment publishes of its rows."""

from andon.events.fact import Facts, lifecycle_types
from services.equipment import audit, metadata, state

FACTS = Facts(
    source="equipment",
    types=lifecycle_types(metadata.DISCRIMINATOR) | {audit.AUDIT_RECORDED, state.STATE_REPORTED},
    of={
        metadata.DISCRIMINATOR: metadata.equipment_changed,
        audit.DISCRIMINATOR: audit.audit_recorded,
        state.DISCRIMINATOR: state.state_reported,
    },
)
