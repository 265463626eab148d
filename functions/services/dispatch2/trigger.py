"""dispatch2 table -> domain events."""

from typing import Any

from andon.events.fact import Facts
from andon.events.publish_changes import publish_changes
from services.dispatch2 import crew
from services.dispatch2.facts import TYPES

FACTS = Facts(source="dispatch2", types=TYPES, of={crew.DISCRIMINATOR: crew.fact_of})


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a batch of the table's stream."""
    publish_changes(event, context, facts=FACTS)
