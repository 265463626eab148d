"""The stand-in that convergence runs on does what moto does, and refuses what it does not know."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patterns.dynamodb.errors import ConditionFailed
from patterns.dynamodb.expressions import Condition
from patterns.events.domain_event import DomainEvent
from patterns.runtime import aws
from patterns.views.inverse_oplock import NEWER, put_if_newer
from tests.support.examples import ON_TABLES
from tests.support.patterns.things import ON, TABLE, TTL_DAYS, VARIABLE, World, happened
from tests.support.rows_in_memory import RowsInMemory, condition
from tests.support.samples import NOW

DAY_MS = 86_400_000
_numbers = count(1)

facts = st.builds(
    lambda kind, at, id_, value: happened(
        kind, "?", at=at, id=id_, **{"gloss" if kind == "painted" else "grams": value}
    ),
    st.sampled_from(["painted", "weighed"]),
    st.sampled_from([NOW - 11 * DAY_MS, NOW - DAY_MS, NOW]),
    st.sampled_from(["a", "é", "￿", "🏭"]),
    st.none() | st.integers(0, 3),
)


def applied(name: str, history: list[tuple[DomainEvent, bool]]) -> list[object]:
    """Apply facts, some to a view that never expires, and note all that comes back."""
    notes: list[object] = []
    for fact, expires in history:
        event = happened(fact.type.removeprefix("thing-"), name, at=fact.timestamp, id=fact.id)
        event.entities["thing"].update(fact.entity("thing").fields, name=name)
        update = ON["workshop", event.type](event)
        outcome = put_if_newer(TABLE, update, event, ttl_days=TTL_DAYS if expires else None, now_ms=NOW)
        notes += [outcome, row_of(name)]
    return notes


def row_of(name: str) -> dict[str, Any]:
    """Read a row by a condition that never holds."""
    try:
        TABLE.update(
            {"pk": name, "sk": "-"}, assign={"no": 1}, condition=Condition("#pk = :x", {"pk": "sk"}, {"x": "?"})
        )
    except ConditionFailed as failed:
        return failed.row or {}
    raise AssertionError


@ON_TABLES
@given(st.lists(st.tuples(facts, st.booleans()), min_size=1, max_size=8))
def test_rows_come_out_as_in_moto(world: World, history: list[tuple[DomainEvent, bool]]) -> None:
    name = f"compared {next(_numbers)}"
    with RowsInMemory(VARIABLE):
        in_memory = applied(name, history)

    assert applied(name, history) == in_memory
    assert row_of(name) == (world.thing(name) or {})


@pytest.mark.parametrize(
    "expression",
    [
        NEWER,
        "#oplock = :oplock",
        "#oplock <= :oplock",
        "#oplock > :oplock AND #oplock >= :oplock",
        "attribute_not_exists(#oplock) AND #oplock < :oplock OR #oplock > :oplock",
        "attribute_not_exists(#oplock) AND (#oplock < :oplock OR #oplock > :oplock)",
    ],
)
@pytest.mark.parametrize("there", [None, "a", "b", "c"])  # moto cannot compare text with a number
def test_conditions_hold_as_in_moto(world: World, name: str, expression: str, there: object) -> None:
    def holds() -> bool:
        key = {"pk": name, "sk": "-"}
        if there is not None:
            TABLE.update(key, assign={"oplock": there}, condition=Condition("attribute_not_exists(#no)", {"no": "no"}))
        try:
            TABLE.update(
                key, assign={"done": True}, condition=Condition(expression, {"oplock": "oplock"}, {"oplock": "b"})
            )
        except ConditionFailed:
            return False
        return True

    with RowsInMemory(VARIABLE):
        in_memory = holds()

    assert in_memory == holds() == bool((world.thing(name) or {}).get("done"))


@pytest.mark.parametrize("expression", ["#a <> :a", "size(#a) < :a", "#a < :a #b", "NOT #a = :a", "#a + #b = :a"])
def test_an_expression_that_it_does_not_know_is_refused(expression: str) -> None:
    with pytest.raises((NotImplementedError, KeyError, IndexError)):
        condition(expression)


def test_a_call_that_it_does_not_know_is_refused() -> None:
    with RowsInMemory(VARIABLE), pytest.raises(NotImplementedError):
        aws.client("dynamodb").get_item(TableName="a table", Key={})
