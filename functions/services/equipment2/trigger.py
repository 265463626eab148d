"""equipment2 table -> domain events."""

from typing import Any

from andon.events.fact import Facts
from andon.events.publish_changes import publish_changes
from services.equipment2 import machine
from services.equipment2.facts import TYPES

FACTS = Facts(source="equipment2", types=TYPES, of={machine.DISCRIMINATOR: machine.machine_changed})


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Lambda entry point."""
    publish_changes(event, context, facts=FACTS)
