"""equipment table -> domain events."""

from typing import Any

from andon.events.fact import Facts
from andon.events.publish_changes import publish_changes
from services.equipment import audit, metadata, state
from services.equipment.facts import TYPES

FACTS = Facts(
    source="equipment",
    types=TYPES,
    of={
        metadata.DISCRIMINATOR: metadata.equipment_changed,
        audit.DISCRIMINATOR: audit.audit_recorded,
        state.DISCRIMINATOR: state.state_reported,
    },
)


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Lambda entry point."""
    publish_changes(event, context, facts=FACTS)
