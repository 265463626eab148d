"""Breakers: a channel that keeps failing takes nothing for a while, then one message as a probe."""

from typing import Final, NamedTuple

from andon.dynamodb.client import Table
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.outbound.channel import NotTaken, Outcome, Unknown

OPENS_AT: Final = 5
"""Failures in a row."""

PROBED_EVERY_MS: Final = 30_000

STATE: Final = "state"
CHANNEL: Final = "channel"


class Breaker(NamedTuple):
    """The breaker of a channel; failures: in a row. until_ms: if it is open, until then nobody calls."""

    channel: str
    failures: int
    until_ms: int

    @property
    def is_tripped(self) -> bool:
        """True if it is open, for all but a probe."""
        return self.failures >= OPENS_AT

    def is_open(self, now_ms: int) -> bool:
        """Return True if not even a probe may call."""
        return self.is_tripped and now_ms < self.until_ms


def key_of(table: Table, channel: str) -> dict[str, str | int]:
    """Return the primary key of a channel's row."""
    return table.keys.of(f"Channel#{channel}", STATE)


def read(table: Table, channel: str) -> Breaker:
    """Read the breaker of a channel."""
    row = table.get(key_of(table, channel), consistent=True) or {}
    return Breaker(channel, row.get("failures", 0), row.get("until_ms", 0))


def take_probe(table: Table, breaker: Breaker, now_ms: int) -> bool:
    """Return True if a message may be sent: the breaker is closed, or this is its only probe for a while."""
    if not breaker.is_tripped:
        return True
    same = Condition("#until = :until", {"until": "until_ms"}, {"until": breaker.until_ms})
    try:
        table.update(key_of(table, breaker.channel), assign={"until_ms": now_ms + PROBED_EVERY_MS}, condition=same)
    except ConditionFailed:
        return False
    return True


def record(table: Table, breaker: Breaker, outcome: Outcome, now_ms: int) -> None:
    """Count a failure, or forget those before: a provider that refuses a message does answer."""
    key = key_of(table, breaker.channel)
    if isinstance(outcome, NotTaken | Unknown):
        until = {"until_ms": now_ms + PROBED_EVERY_MS, "discriminator": CHANNEL}
        table.increment(key, "failures", assign=until)
    elif breaker.failures:
        table.update(key, assign={"failures": 0, "until_ms": 0, "discriminator": CHANNEL}, condition=UNCONDITIONAL)
