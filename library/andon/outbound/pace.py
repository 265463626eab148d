"""May a line take a message now? By its breaker, and by its pace: so many a second and a day (UTC), of all recipients.

A line is a channel, or a host of it, see `Way.line`. A message is counted before its call, so that whoever is killed in
between has spent it.
"""

from enum import Enum, auto
from typing import Any, Final, NamedTuple, Self

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.ttl import ttl_at
from andon.outbound.delivery import TTL_DAYS, NotTaken, Outcome, Unknown, Way
from andon.runtime import clock
from andon.runtime.clock import DAY_MS

# Breakers: a channel that keeps failing takes nothing for a while, then one message as a probe.

OPENS_AT: Final = 5
"""Failures in a row."""

PROBED_EVERY_MS: Final = 30_000

_STATE: Final = "state"
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


def _key_of(table: Table, channel: str) -> dict[str, str | int]:
    """Return the primary key of a channel's row."""
    return table.keys.of(f"Channel#{channel}", _STATE)


def read(table: Table, channel: str) -> Breaker:
    """Read the breaker of a channel."""
    row = table.get(_key_of(table, channel), consistent=True) or {}
    return Breaker(channel, row.get("failures", 0), row.get("until_ms", 0))


def take_probe(table: Table, breaker: Breaker, now_ms: int) -> bool:
    """Return True if a message may be sent: the breaker is closed, or this is its only probe for a while."""
    if not breaker.is_tripped:
        return True
    same = Condition("#until = :until", {"until": "until_ms"}, {"until": breaker.until_ms})
    try:
        table.update(_key_of(table, breaker.channel), assign={"until_ms": now_ms + PROBED_EVERY_MS}, condition=same)
    except ConditionFailed:
        return False
    return True


def record(table: Table, breaker: Breaker, outcome: Outcome, now_ms: int) -> None:
    """Count a failure, or forget those before: a provider that refuses a message does answer."""
    key = _key_of(table, breaker.channel)
    if isinstance(outcome, NotTaken | Unknown):
        until = {"until_ms": now_ms + PROBED_EVERY_MS, "discriminator": CHANNEL}
        table.increment(key, "failures", assign=until)
    elif breaker.failures:
        table.update(key, assign={"failures": 0, "until_ms": 0, "discriminator": CHANNEL}, condition=UNCONDITIONAL)


SECOND_MS: Final = 1_000

MOST_WAIT_MS: Final = 2_000
"""So long a worker waits for its turn; then another channel is used, or the message comes again."""

_MOST_ATTEMPTS: Final = 30
_PAUSE_MS: Final = 20
"""Before the next attempt, where another worker was faster."""


class Turn(Enum):
    """Permission to send a message: now, not for a while, or not on this day."""

    TAKEN = auto()
    BUSY = auto()
    SPENT = auto()


class _LineUse(NamedTuple):
    """Use of a line. taken: messages ever, by which of two workers one takes. free_ms: when its second is free.

    day: since the epoch, of which `spent` messages are counted.
    """

    taken: int
    free_ms: int
    day: int
    spent: int

    @classmethod
    def of(cls, row: Item) -> Self:
        """Return it as a row says it."""
        return cls(*(row.get(name, 0) for name in cls._fields))

    def wait_ms(self, way: Way, now_ms: int) -> int:
        """Return the wait of a message: a second's worth may be sent at once, then one after the other."""
        if way.per_second is None:
            return 0
        return max(0, self.free_ms - now_ms - SECOND_MS + _between(way.per_second))

    def is_spent(self, way: Way, now_ms: int) -> bool:
        """Return True if all of the day was sent."""
        return way.per_day is not None and self._spent(now_ms) >= way.per_day

    def after(self, way: Way, now_ms: int) -> Self:
        """Return it a message later."""
        between = 0 if way.per_second is None else _between(way.per_second)
        free_ms = max(self.free_ms, now_ms) + between
        return type(self)(self.taken + 1, free_ms, now_ms // DAY_MS, self._spent(now_ms) + 1)

    def _spent(self, now_ms: int) -> int:
        return self.spent if self.day == now_ms // DAY_MS else 0


def take(table: Table, way: Way) -> Turn:
    """Count a message to be sent, when it is its turn."""
    if way.per_second is None and way.per_day is None:
        return Turn.TAKEN
    key, waited_ms = _key_of(table, way.line), 0
    for _ in range(_MOST_ATTEMPTS):
        now_ms, used = clock.now_ms(), _LineUse.of(table.get(key, consistent=True) or {})
        if used.is_spent(way, now_ms):
            return Turn.SPENT
        wait_ms = used.wait_ms(way, now_ms)
        if wait_ms == 0:
            if _write(table, key, used, used.after(way, now_ms), now_ms):
                return Turn.TAKEN
            wait_ms = _PAUSE_MS
        waited_ms += wait_ms
        if waited_ms > MOST_WAIT_MS:
            break
        clock.wait(wait_ms / SECOND_MS)
    return Turn.BUSY


def _write(table: Table, key: dict[str, str | int], old: _LineUse, new: _LineUse, now_ms: int) -> bool:
    """Write the present use; return False if another worker was faster."""
    names = {"taken": "taken"}
    same = Condition("#taken = :taken", names, {"taken": old.taken})
    first = Condition("attribute_not_exists(#taken)", names)
    row: dict[str, Any] = {**new._asdict(), "discriminator": CHANNEL, "ttl": ttl_at(now_ms, TTL_DAYS)}
    try:
        table.update(key, assign=row, condition=same if old.taken else first)
    except ConditionFailed:
        return False
    return True


def _between(per_second: int) -> int:
    """Return the milliseconds between two messages, rounded up."""
    return -(-SECOND_MS // per_second)
