"""equipment table -> domain events."""

from typing import Any

from patterns.change_data_capture import Facts, publish_changes
from services.equipment.state import DISCRIMINATOR, state_reported

FACTS = Facts(
    source="equipment",
    types=frozenset({"state-reported"}),
    of={DISCRIMINATOR: state_reported},
)


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a batch of the table's stream."""
    publish_changes(event, context, facts=FACTS)
