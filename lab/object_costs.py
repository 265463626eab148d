"""Cost of a view by groups, in a table and in objects: its events by batch, and its lists by length; counted.

A row has 300 bytes. In the table it is listed by an index with all of it, in which an entry that moves is deleted and
put. In objects it leaves a tombstone. Lambda's time is about the same and not in here; traffic within a region is free.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.events.domain_event import DomainEvent
from andon.events.received import Received
from andon.testing.environment import frozen_clock
from andon.views.compaction import Message
from andon.views.object_batch import write_objects
from andon.views.object_rows import ObjectKeys
from andon.views.object_table import ObjectTable
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import entered
from lab.counted import MILLION, Counted

NOW_MS: Final = 1_790_000_000_000
TTL_DAYS: Final = 30
TEXT: Final = "x" * 180
BATCHES: Final = (1, 2, 5, 10, 100)
LENGTHS: Final = (10, 100, 1000)

TABLE: Final = Table("LISTED_TABLE", Keys("thing", one_partition_per="entity"))
BY_GROUP: Final = Keys("group", "thing", one_partition_per="tenant")
OBJECTS: Final = ObjectTable("LISTED_BUCKET", ObjectKeys("group", about="thing"))


class Dollars(NamedTuple):
    """Dollars of a million events, or of a million lists."""

    table: float
    objects: float


def _counted() -> Counted:
    schema = TableSchema(TABLE.keys, indexes={"ByGroup": Index(BY_GROUP)})
    return Counted({TABLE.variable: schema}, [OBJECTS.variable])


def _update(thing: int, group: str) -> ViewUpdate:
    fields = {"group": group, "text": TEXT}
    return ViewUpdate(key=TABLE.keys.of(f"thing {thing}"), fields=fields, oplock="state")


def _message(thing: int, group: str, *left: str, at_ms: int = NOW_MS) -> Message:
    event = DomainEvent(f"e{at_ms}-{thing}", "thing-moved", at_ms, f"thing {thing}", {})
    keys = OBJECTS.keys
    update = ViewUpdate(key=keys.of(group, f"thing {thing}"), fields={"text": TEXT}, oplock="state")
    return Message(Received(event.id), event, entered(update, *(keys.of(one, f"thing {thing}") for one in left)))


def of_events(*, moving: bool) -> dict[int, Dollars]:
    """Return the dollars of a million events, by how many of a batch are about one group."""
    return {number: _of_batch(number, moving=moving) for number in BATCHES}


def _of_batch(number: int, *, moving: bool) -> Dollars:
    with _counted() as aws, frozen_clock(NOW_MS):
        _put(range(number), "a", aws)
        aws.spent()
        group, left = ("b", ("a",)) if moving else ("a", ())
        later = [_message(thing, group, *left, at_ms=NOW_MS + 1) for thing in range(number)]
        for thing, message in enumerate(later):
            _update(thing, group).write(TABLE, message.event, ttl_days=TTL_DAYS, now_ms=NOW_MS)
        of_table = aws.spent()
        write_objects(OBJECTS, later, ttl_days=TTL_DAYS)
        return Dollars(*(dollars / number * MILLION for dollars in (of_table, aws.spent())))


def of_lists() -> dict[int, Dollars]:
    """Return the dollars of a million lists of a group, by its length."""
    return {number: _of_list(number) for number in LENGTHS}


def _of_list(number: int) -> Dollars:
    with _counted() as aws, frozen_clock(NOW_MS):
        _put(range(number), "a", aws)
        aws.spent()
        query = KeyQuery(keys=BY_GROUP, partition="a", index_name="ByGroup")
        if len(TABLE.query(query, limit=number).items) != number:
            raise AssertionError("the table lists something else")
        of_table = aws.spent()
        if len(OBJECTS.shown(("a",), now_ms=NOW_MS)) != number:
            raise AssertionError("the object lists something else")
        return Dollars(of_table * MILLION, aws.spent() * MILLION)


def _put(things: Sequence[int], group: str, aws: Counted) -> None:
    messages = [_message(thing, group) for thing in things]
    for thing, message in zip(things, messages, strict=True):
        _update(thing, group).write(TABLE, message.event, ttl_days=TTL_DAYS, now_ms=NOW_MS)
    write_objects(OBJECTS, messages, ttl_days=TTL_DAYS)
    aws.bus.clear()


def report() -> str:
    """Write the figures as the tables of docs/patterns/view-as-objects.md."""
    stay, move = of_events(moving=False), of_events(moving=True)
    lines = ["| of one group in a batch | table | objects | that move: table | objects |", "|---:|---:|---:|---:|---:|"]
    for number in BATCHES:
        dollars = " | ".join(f"${round(one, 6):.2f}" for one in (*stay[number], *move[number]))
        lines.append(f"| {number} | {dollars} |")
    lines += ["", "| rows of a list | table | objects |", "|---:|---:|---:|"]
    lines += [f"| {number:,} | ${one.table:.2f} | ${one.objects:.2f} |" for number, one in of_lists().items()]
    return "\n".join(lines)
