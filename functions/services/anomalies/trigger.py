"""anomalies table -> domain events, and what is due upon the events that were stored in it."""

from typing import Any

from patterns.events.fact import Facts
from patterns.rules.control import control_changes
from services.anomalies import anomaly
from services.anomalies.control import CONTROL
from services.anomalies.facts import TYPES

FACTS = Facts(source="anomalies", types=TYPES, of={anomaly.DISCRIMINATOR: anomaly.fact_of})


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a batch of the table's stream."""
    control_changes(event, context, facts=FACTS, control=CONTROL)
