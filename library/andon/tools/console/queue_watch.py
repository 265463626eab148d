"""An upper bound for the age of a queue's oldest message, from looking at it now and then. Pure.

The emulator does not say how old the oldest message is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class QueueWatch:
    """When each queue was last seen empty, in epoch milliseconds."""

    empty_ms: dict[str, int] = field(default_factory=dict)

    def look(self, messages: Mapping[str, int], *, now_ms: int) -> None:
        """Note which queues are empty; `messages` is how many wait or are being worked on, by the queue's name."""
        self.empty_ms |= {queue: now_ms for queue, count in messages.items() if not count}

    def oldest_s(self, queue: str, *, now_ms: int) -> float | None:
        """Return an upper bound of the oldest message's age in seconds; None: the queue was never seen empty."""
        return (now_ms - self.empty_ms[queue]) / 1000 if queue in self.empty_ms else None
