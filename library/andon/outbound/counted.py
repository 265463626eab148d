"""Counts of a sender's invocation, for its log line, metrics and alarms. Without imports."""

from typing import Final

OPEN: Final = "open"
CAPPED: Final = "capped"


class SenderCounts:
    """The lines whose breaker was open, and those that had nothing left of their day; see `Way.line`."""

    def __init__(self) -> None:
        self.open = set[str]()
        self.capped = set[str]()
