"""Rows in objects are the rows that a table has: the same outcomes, oplocks and dates, live, replayed and repaired."""

from dataclasses import replace
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.schema import TableSchema
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.runtime.clock import DAY_MS
from andon.runtime.tried import Failed, tried
from andon.testing.environment import frozen_clock
from andon.testing.examples import ON_TABLES
from andon.testing.memory.aws import AwsInMemory
from andon.views.object_rows import ObjectKeys
from andon.views.object_table import ObjectTable
from andon.views.outcome import Outcome
from andon.views.row_write import RowStore
from andon.views.view_update import ViewUpdate
from toys.clock import NOW
from toys.things import KEYS, LABELLED_ON, TABLE, TTL_DAYS, VARIABLE, happened

OBJECTS: Final = ObjectTable("THINGS_BUCKET", ObjectKeys("pk", about="sk"))
KEY: Final = {"pk": "saw", "sk": "-"}


class Step(NamedTuple):
    """An event, how many days before it is delivered it happened, and how it is: live, or as what replay."""

    what: str
    said: str
    id: str
    happened: int
    delivered: int
    until: int | None
    replayed: str

    @property
    def event(self) -> DomainEvent:
        fields = {"colour": self.said, "grams": len(self.said), "label": self.said}
        return happened(self.what, "saw", at=NOW + self.happened * DAY_MS, id=self.id, **fields)

    @property
    def update(self) -> ViewUpdate:
        update = LABELLED_ON["workshop", self.event.type](self.event)
        until = None if self.until is None else (NOW // 1000) + self.until * ttl.SECONDS_PER_DAY
        return replace(update, expires_at=until)

    def write(self, store: RowStore) -> Outcome | str:
        """Write it; return the outcome, or the name of the error."""
        now_ms = NOW + self.delivered * DAY_MS
        replays = {"live": None, "rebuilt": Replay("r"), "restored": Replay("r", ttl.ttl_at(now_ms, 3))}
        with frozen_clock(now_ms):
            done = tried(
                lambda: self.update.write(
                    store, self.event, ttl_days=TTL_DAYS, now_ms=now_ms, replay=replays[self.replayed]
                )
            )
        return type(done.error).__name__ if isinstance(done, Failed) else done


DAYS: Final = st.integers(-20, 20)
STEPS: Final = st.builds(
    Step,
    st.sampled_from(["painted", "weighed", "labelled"]),
    st.sampled_from(["red", "blue", "green", "first"]),
    st.sampled_from(["e1", "e2", "e3"]),
    st.sampled_from([-15, -9, -3, -1, 0]),
    st.sampled_from([0, 1, 2, 8, 12]),
    st.sampled_from([None, None, -8, 3, 30]),
    st.sampled_from(["live", "live", "rebuilt", "restored"]),
)


def rows() -> tuple[Item | None, Item | None]:
    """Return the row in the table and that in the object."""
    return TABLE.get(KEY, consistent=True), OBJECTS.get(KEY)


@settings(ON_TABLES)
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_whatever_is_written_has_the_outcome_and_leaves_the_row_that_it_has_in_a_table(steps: list[Step]) -> None:
    steps = sorted(steps, key=lambda step: step.delivered)
    with AwsInMemory({VARIABLE: TableSchema(KEYS)}, [OBJECTS.variable]):
        for step in steps:
            assert step.write(TABLE) == step.write(OBJECTS)
            in_table, in_object = rows()
            assert in_table == in_object


CONDITIONS: Final = [
    UNCONDITIONAL,
    Condition("attribute_not_exists(#a)", {"a": "a"}),
    Condition("attribute_exists(#k) AND attribute_not_exists(#a)", {"k": "pk", "a": "a"}),
    Condition("#a = :a", {"a": "a"}, {"a": 1}),
    Condition("#a = :a", {"a": "a"}, {"a": {"b": [1, "x"]}}),
    Condition("#a < :a AND (#k = :k OR attribute_exists(#b))", {"a": "a", "k": "pk", "b": "b"}, {"a": 2, "k": "saw"}),
]
VALUES: Final = st.sampled_from([1, 2.5, "x", None, True, [1, 2], {"b": [1, "x"]}, ("t",), 10.0])
CHANGES: Final = st.tuples(
    st.sampled_from(["update", "return", "delete"]),
    st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1),
    st.lists(st.sampled_from("de"), unique=True),
    st.sampled_from(CONDITIONS),
)


def changed(store: Table | ObjectTable, change: tuple[str, Item, list[str], Condition]) -> object:
    """Return what a call returns, or the row that its condition met."""
    how, assign, remove, condition = change
    try:
        if how == "delete":
            return store.delete(KEY, condition=condition)
        call = store.update if how == "update" else store.update_and_return
        return call(KEY, assign=assign, remove=tuple(remove), condition=condition)
    except ConditionFailed as failed:
        return "failed", failed.row


@settings(ON_TABLES)
@given(st.lists(CHANGES, min_size=1, max_size=6))
def test_a_row_is_changed_under_the_conditions_of_a_table(
    changes: list[tuple[str, Item, list[str], Condition]],
) -> None:
    with AwsInMemory({VARIABLE: TableSchema(KEYS)}, [OBJECTS.variable]), frozen_clock(NOW):
        for change in changes:
            assert changed(TABLE, change) == changed(OBJECTS, change)
            in_table, in_object = rows()
            assert in_table == in_object


@pytest.mark.parametrize("value", [float("nan"), 10**40])
def test_what_a_table_does_not_take_no_object_takes(value: object) -> None:
    with AwsInMemory({VARIABLE: TableSchema(KEYS)}, [OBJECTS.variable]), frozen_clock(NOW):
        refusals = [tried(changed, store, ("update", {"a": value}, [], UNCONDITIONAL)) for store in (TABLE, OBJECTS)]

    of_table, of_objects = (one.error if isinstance(one, Failed) else None for one in refusals)
    assert of_table is not None
    assert repr(of_table) == repr(of_objects)
