"""dispatch table -> domain events."""

from typing import Any

from patterns.change_data_capture import Facts, publish_changes
from services.dispatch.facts import TYPES
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION

FACTS = Facts(
    source="dispatch",
    types=TYPES,
    of={kind.discriminator: kind.fact_of for kind in (ASSIGNMENT, ESCALATION)},
)


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a batch of the table's stream."""
    publish_changes(event, context, facts=FACTS)
