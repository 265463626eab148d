"""recorded events -> what drifted in state_log view."""

from typing import Any

from andon.drift.recompute import Recomputed, recompute
from andon.recorded.reader import Recorded
from views.state_log.listener import VIEW

PAST = Recorded()


def handler(event: dict[str, Any], context: Any) -> Recomputed:  # noqa: ANN401  Lambda's context
    """Handle a tick of the clock, or a batch of the queue that asks for more."""
    return recompute(event, context, listener=VIEW, past=PAST)
