"""dispatch table -> domain events, and decisions upon the events that were stored in it."""

from typing import Any

from andon.events.fact import Facts
from andon.rules.control import control_changes
from andon.rules.expired import expired
from services.dispatch import acknowledgement
from services.dispatch.alert import ALERTS
from services.dispatch.control import CONTROL
from services.dispatch.facts import TYPES
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION

FACTS = Facts(
    source="dispatch",
    types=TYPES,
    of={
        **{kind.discriminator: kind.fact_of for kind in (ASSIGNMENT, ESCALATION)},
        acknowledgement.DISCRIMINATOR: acknowledgement.fact_of,
        **{alert.type: alert.fact_of for alert in ALERTS},
    },
    expired=expired,
)


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a batch of the table's stream."""
    control_changes(event, context, facts=FACTS, control=CONTROL)
