"""board table -> screens."""

from typing import Any

from andon.live.connection import root
from andon.live.push import push_changes
from views.board.changes import messages_of


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Lambda entry point."""
    push_changes(event, context, source="board", root=root(), messages_of=messages_of)
