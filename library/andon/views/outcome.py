"""Outcomes of messages: of those that a batch received, each has exactly one."""

from enum import StrEnum


class Outcome(StrEnum):
    """The outcome of a message, or of a write that it asked for.

    The first four are what a write can answer; only `APPLIED` changed a row. `COMPACTED`: a newer message of the same
    batch was written in its place. `FAULT`: it can never succeed and was published as a fault. `FAILED`: it failed now
    and will come again.
    """

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    STALE = "stale"
    EXPIRED = "expired"
    COMPACTED = "compacted"
    FAULT = "fault"
    FAILED = "failed"

    __hash__ = str.__hash__  # an enum's own is written in Python, and every message is counted
