"""A kept context is at all times the one that would be read now."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.client import Table
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.schema import BeginsWith, KeyQuery, Keys, TableSchema
from andon.events.domain_event import DomainEvent
from andon.rules.stored_event import PREFIX, StoredEvent, sort_of
from andon.runtime import clock
from andon.tools.what_if.known_tables import KnownTables, SimulatedClock

VARIABLE = "THINGS_TABLE"
KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLE = Table(VARIABLE, KEYS)
NAMES = ("a", "b")

Change = tuple[str, str, int]

changes = st.tuples(st.sampled_from(("row", "write", "event", "time")), st.sampled_from(NAMES), st.integers(0, 3))


def by_key(key: str) -> object:
    return TABLE.get(KEYS.of(key, "row"), consistent=True)


def of_both(_: str) -> object:
    return TABLE.get_many([KEYS.of(name, "row") for name in NAMES])


def stored_under(key: str) -> object:
    rows = TABLE.query_all(KeyQuery(KEYS, key, BeginsWith(PREFIX)), page=10, consistent=True)
    return [row["arrived"] for row in rows]


def by_time(key: str) -> object:
    return clock.now_ms(), by_key(key)


class Known:
    """Tables, the events beside them, and how often a context was read."""

    def __init__(self) -> None:
        self.clock, self.events, self.reads = SimulatedClock(), dict[str, list[StoredEvent]](), 0
        self.tables = KnownTables({VARIABLE: TableSchema(KEYS, stream=True)}, {}, self.clock)
        self.tables.stored = {VARIABLE: lambda key: self.events.get(key, ())}

    def change(self, kind: str, name: str, number: int) -> None:
        if kind == "row":
            self.tables.put(VARIABLE, {**KEYS.of(name, "row"), "number": number})
        elif kind == "write":
            TABLE.put({**KEYS.of(name, "row"), "number": number}, condition=UNCONDITIONAL)
        elif kind == "event":
            sort = sort_of(number, "x")
            event = DomainEvent("x", "thing-happened", number, name, {"thing": {}})
            self.events.setdefault(name, []).append(StoredEvent("things", event, number, name, sort, 10**9))
            self.tables.note_stored(VARIABLE, name)
        else:
            self.clock.at_ms += number


@pytest.mark.parametrize("context_of", [by_key, of_both, stored_under, by_time])
@given(some=st.lists(changes, max_size=6))
def test_what_is_kept_of_a_key_is_what_would_be_read_now(context_of: object, some: list[Change]) -> None:
    assert callable(context_of)
    known, real = Known(), clock.now_ms
    try:
        known.clock.stand_in()
        with known.tables:
            known.tables.begin()
            kept = known.tables.kept(context_of, set())
            for change in some:
                known.change(*change)
                for name in NAMES:
                    assert kept(name) == context_of(name)
    finally:
        clock.now_ms = real


def test_it_is_read_once_until_a_row_of_its_partitions_changes() -> None:
    known, read, partitions = Known(), list[str](), set[tuple[str, str]]()

    def context_of(key: str) -> object:
        read.append(key)
        return by_key(key)

    with known.tables:
        known.tables.begin()
        kept = known.tables.kept(context_of, partitions)
        for change in (("row", "b", 1), ("row", "b", 2), ("event", "a", 1), ("time", "", 1)):
            known.change(*change)
            kept("a")
        assert read == ["a"]
        known.change("row", "a", 1)
        kept("a")
    assert read == ["a", "a"]
    assert partitions == {(VARIABLE, "a")}


def test_who_queries_a_key_finds_the_events_that_are_stored_under_it() -> None:
    known = Known()
    with known.tables:
        known.tables.begin()
        for number in (3, 1):
            known.change("event", "a", number)
            known.change("event", "b", number + 1)
        assert (stored_under("a"), stored_under("b")) == ([3, 1], [4, 2]), "newest first"
        known.change("event", "a", 2)
        assert stored_under("a") == [3, 2, 1]
