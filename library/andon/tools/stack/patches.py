"""Patches of the emulator, where it answers otherwise than AWS, or tests take twice as long; each says its case.

No patch is for a quicker emulator alone: how many requests it answers in a second says nothing of AWS.
"""

import re
import threading
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any, Final, NamedTuple

# A faster test of key conditions for the emulator, which parses the expression again for every row of a partition.
#
# With 10,000 rows under one key that is a second of CPU for each query. The attack that floods (`dying`) takes 224 s
# without this and the next patch, and 111 with both. The forms that a query of text keys can have are tested here;
# everything else is left to the emulator.


Row = Mapping[str, Mapping[str, Any]]
Values = Mapping[str, Mapping[str, Any]] | None
Names = Mapping[str, str] | None
Evaluate = Callable[..., bool]

SLOT: Final = "KeyConditionExpression"
_SORT: Final = re.compile(
    r"#\w+ = :\w+ AND (?:(?P<name>#\w+) (?P<sign>BETWEEN|<|>) (?P<first>:\w+)(?: AND (?P<last>:\w+))?"
    r"|begins_with\((?P<named>#\w+), (?P<prefix>:\w+)\))"
)


def faster(evaluate: Evaluate) -> Evaluate:
    """Return the emulator's `_evaluate_condition`, faster where it tests the rows of one partition."""

    def evaluate_condition(
        expression: str, row: Row, values: Values, names: Names, slot: str = "ConditionExpression"
    ) -> bool:
        known = sort_condition(expression, values or {}, names or {}) if slot == SLOT else None
        key = _text(row.get(known.name)) if known else None
        if known is None or key is None:
            return evaluate(expression, row, values, names, slot=slot)
        return known.holds(key)

    return evaluate_condition


class SortCondition(NamedTuple):
    """A query's condition on the sort key `name`, which is text."""

    name: str
    holds: Callable[[str], bool]


def sort_condition(
    expression: str, values: Mapping[str, Mapping[str, Any]], names: Mapping[str, str]
) -> SortCondition | None:
    """Return a query's condition on the sort key; None: leave it to the emulator."""
    parts = _parts(expression)
    if parts is None:
        return None
    name, sign, first, last = parts
    key, low = names.get(name), _text(values.get(first))
    if key is None or low is None:
        return None
    match sign:
        case "BETWEEN":
            high = _text(values.get(last))
            return None if high is None or high < low else SortCondition(key, lambda found: low <= found <= high)
        case "begins_with":
            return SortCondition(key, lambda found: found.startswith(low))
        case "<":
            return SortCondition(key, low.__gt__)
        case _:
            return SortCondition(key, low.__lt__)


@cache
def _parts(expression: str) -> tuple[str, str, str, str] | None:
    """Return the name of the sort key, the comparison, and the placeholders of its values."""
    found = _SORT.fullmatch(expression)
    if found is None:
        return None
    if found["prefix"]:
        return found["named"], "begins_with", found["prefix"], ""
    is_range = found["sign"] == "BETWEEN"
    return (
        (found["name"], found["sign"], found["first"], found["last"] or "") if is_range == bool(found["last"]) else None
    )


def _text(value: Mapping[str, Any] | None) -> str | None:
    text = (value or {}).get("S")
    return text if isinstance(text, str) else None


# Queries of the emulator that look at few rows: for each page it orders and tests all rows of a partition.
#
# A partition of a micro event store has hundreds of rows, of which a rule looks at the newest few. `Partitions` takes
# the place of the emulator's `defaultdict` of rows by partition key. While a query is answered, it hands out those
# rows in which the whole page lies; the emulator orders and tests these, as it does with all of them otherwise.

Request = Mapping[str, Any]
Rows = dict[str, dict[str, Any]]


class Wanted(NamedTuple):
    """The rows that a page lies in: those that meet a condition, from a sort key on; None of `most`: all of them."""

    condition: SortCondition
    start: str | None
    most: int | None
    forward: bool

    @classmethod
    def by(cls, request: Request) -> "Wanted | None":
        """Return the rows that a query needs of a table; None: the emulator has to see all rows."""
        condition = sort_condition(
            request.get("KeyConditionExpression", ""),
            request.get("ExpressionAttributeValues", {}),
            request.get("ExpressionAttributeNames", {}),
        )
        if condition is None or "IndexName" in request:
            return None
        start, limit = request.get("ExclusiveStartKey", {}).get(condition.name, {}).get("S"), request.get("Limit")
        most = None if limit is None else int(limit) + 1  # the row that the page starts behind is one of them
        return cls(condition, start, most, request.get("ScanIndexForward", True))

    def of(self, rows: Rows) -> Rows:
        """Return those of a partition, by their sort keys."""
        rows = rows.copy()  # another thread may write meanwhile
        keys = sorted(filter(self.condition.holds, rows))
        if self.start is not None:
            keys = keys[bisect_left(keys, self.start) :] if self.forward else keys[: bisect_right(keys, self.start)]
        if self.most is not None:
            keys = keys[: self.most] if self.forward else keys[-self.most :]
        return {key: rows[key] for key in keys}


_wanted: Final[ContextVar[Wanted | None]] = ContextVar("wanted", default=None)


class Partitions(defaultdict[str, Rows]):
    """The rows of a table, by partition key and sort key."""

    def get(self, partition: str, default: Any = None) -> Any:  # noqa: ANN401  as a dict
        """Return the rows of a partition; while a query is answered, those that it wants."""
        rows, wanted = super().get(partition, default), _wanted.get()
        return wanted.of(rows) if wanted and rows else rows


def narrowed(query: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """Return the emulator's `_query`, before which `Partitions` hold back what it does not need."""

    def narrow(request: Request) -> Any:  # noqa: ANN401  a response
        token = _wanted.set(Wanted.by(request))
        try:
            return query(request)
        finally:
            _wanted.reset(token)

    return narrow


# Streams side by side for the emulator, which follows one after the other, in the thread that feeds queues, too.
#
# On AWS each shard has a poller of its own: a trigger that takes its time, or fails, delays nobody else.
# Here each mapping of a stream gets a thread, which handles its batches in order.

StreamMapping = tuple[str, str, dict[str, Any]]
"""The account and the region of an event source mapping, and the mapping itself."""

IDLE_S: Final = 1.0  # as the emulator's own poller; so long it takes until what failed is tried again

_followed: Final[ContextVar[str | None]] = ContextVar("followed", default=None)


class Followers:
    """A thread for each mapping of a stream. `mappings` and `poll` take the place of the emulator's own functions.

    all_mappings: every event source mapping. poll_all: handles a batch of each mapping of a stream that `mappings`
    names, one after the other, and returns whether there was one.
    """

    def __init__(self, all_mappings: Callable[[], Iterable[StreamMapping]], poll_all: Callable[[], bool]) -> None:
        self._all, self._poll_all = all_mappings, poll_all
        self._news: dict[str, threading.Event] = {}

    def mappings(self) -> Iterator[StreamMapping]:
        """Return the mapping that the calling thread follows, every one if it follows none."""
        followed = _followed.get()
        return (one for one in self._all() if followed is None or one[2]["UUID"] == followed)

    def poll(self) -> bool:
        """Wake all followers; nothing was done here, so that the poller waits until there is more."""
        for mapping in self._streams():
            if mapping not in self._news:
                self._news[mapping] = threading.Event()
                threading.Thread(target=self._follow, args=[mapping], daemon=True, name=f"stream-{mapping}").start()
            self._news[mapping].set()
        return False

    def _follow(self, mapping: str) -> None:
        _followed.set(mapping)
        while mapping in self._streams():
            self._news[mapping].wait(IDLE_S)
            self._news[mapping].clear()
            while self._poll_all():
                pass
        del self._news[mapping]

    def _streams(self) -> set[str]:
        return {one["UUID"] for _, _, one in self._all() if ":dynamodb:" in one.get("EventSourceArn", "")}


# Updates of nested stacks in the emulator, which forgets the attributes of what an update leaves as it is.
#
# Without them, whatever refers to an unchanged queue by its ARN or name fails the update of its nested stack. And a
# name that is made with the seed of a bucket's would be another one at the next update: functions would be replaced.

_Updated = tuple[str, dict[str, Any]]
"""A resource's physical id and its attributes."""
Properties = dict[str, Any]


def remembering(update: Callable[..., _Updated], stacks: Mapping[str, Any]) -> Callable[..., _Updated]:
    """Return the emulator's update of one resource, with the attributes that the resource had.

    stacks: the emulator's stacks, by name.
    """

    def updated(kind: str, made: str, before: Properties, after: Properties, stack: str, logical_id: str) -> _Updated:
        known = stacks[stack]["_resources"].get(logical_id, {}).get("Attributes", {})
        now, attributes = update(kind, made, before, after, stack, logical_id, known)
        return now, {**(known if now == made else {}), **attributes}

    return updated


def apart(create: Callable[..., _Updated], seed: ContextVar[str]) -> Callable[..., _Updated]:
    """Return the emulator's creation of one resource, of which no seed of a name is left for the next one."""

    def created(*resource: object) -> _Updated:
        before = seed.set("")
        try:
            return create(*resource)
        finally:
            seed.reset(before)

    return created


# The time of each SMS, beside what the emulator keeps of it, as it does for mails: `Timestamp`, epoch seconds.

Record = dict[str, Any]


class _Timed:
    """The SMS of a number, to which one can be added."""

    def __init__(self, kept: list[Record]) -> None:
        self._kept = kept

    def append(self, record: Record) -> None:
        """Add an SMS that was just sent."""
        self._kept.append({**record, "Timestamp": time.time()})


def timed(log_for: Callable[[str], list[Record]]) -> Callable[[str], _Timed]:
    """Return the emulator's `_sms_log_for` with times; it is used for nothing but adding."""
    return lambda number: _Timed(log_for(number))


# Adds a user's groups to a refreshed token: the emulator leaves them out.
#
# Cognito writes `cognito:groups` into each access token, and a caller without groups may do nothing.

_Pool = dict[str, Any]


def with_groups(make_token: Callable[..., str], pool_of: Callable[[str], _Pool | None]) -> Callable[..., str]:
    """Wrap the emulator's function that writes a token, so that a user's token has the user's groups."""

    def wrapped(sub: str, pool_id: str, *rest: Any, **more: Any) -> str:  # noqa: ANN401  the emulator's
        user = ((pool_of(pool_id) or {}).get("_users") or {}).get(more.get("username"))
        if user and "groups" not in more:
            more["groups"] = user.get("_groups", [])
        return make_token(sub, pool_id, *rest, **more)

    return wrapped
