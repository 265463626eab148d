import json
from collections.abc import Sequence
from typing import Any

import pytest
from events.test_group import ODD_GROUPS
from hypothesis import given
from hypothesis import strategies as st

from andon.events.bus_entry import LAKE, REPLAY_NAME, Delivery, to_message
from andon.events.fault import id_of
from andon.events.group import body_of
from andon.events.received import Received, received
from andon.runtime.errors import Poison
from andon.runtime.tried import Failed, tried
from andon.testing.lambda_events import bus_members, sqs_event
from toys.clock import NOW
from toys.things import happened

SOURCE = "workshop"


def body(number: int, **fields: Any) -> str:  # noqa: ANN401  of any JSON
    """Return a message of one fact, as the bus wrote it."""
    event = happened("painted", f"thing {number}", id=f"e{number}", **fields)
    return to_message(event, source=SOURCE, bus_event=bus_members("an entry", NOW))


def with_value(written: str) -> str:
    """Return a message of one fact with some JSON in it."""
    return body(0, note="@").replace('"@"', written)


GOOD = [body(number) for number in range(5)]

UNREADABLE = {
    "a number of 39 digits": with_value("1" * 39),
    "a number out of range": with_value("1e200"),
    "NaN": with_value("NaN"),
    "a lone surrogate": with_value('"\\ud800"'),
    "nested deeper than a table takes": with_value("[" * 31 + "]" * 31),
    "nested too deeply for any parser": with_value("[" * 5_000 + "]" * 5_000),
    "no id": body(0).replace('"e0"', '""'),
    "another type": body(0).replace('"type":"thing-painted"', '"type":"thing-sold"'),
    "no time": body(0).replace(f'"timestamp":{NOW}', '"timestamp":"soon"'),
}

EXACT = {
    "a great number": with_value("12345678901234567890123"),
    "a fraction": with_value("1.50"),
    "an exponent": with_value("1e+16"),
    "a line break between": with_value("[1,\n 2]"),
    "nested as deeply as a table takes": with_value("[" * 29 + "]" * 29),
    "an escape": with_value('"\\u00e9\\/"'),
}


def read(*bodies: str) -> list[Received]:
    return [*received(sqs_event(bodies)["Records"])]


def deliveries(facts: Sequence[Received]) -> list[Delivery | str]:
    """Return what was read of each fact, or why it cannot be."""
    return [str(one.error) if isinstance(one, Failed) else one for one in (tried(fact.read) for fact in facts)]


@st.composite
def cuts(draw: st.DrawFn, bodies: Sequence[str]) -> list[str]:
    """Cut messages of one fact into messages of any number, in order."""
    ends = sorted(draw(st.sets(st.integers(1, len(bodies) - 1))) | {len(bodies)})
    return [body_of(bodies[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


@given(st.data())
def test_facts_are_what_they_would_be_alone_in_whatever_groups_they_come(data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from([*GOOD, *UNREADABLE.values(), *EXACT.values()]), min_size=2, max_size=8))

    grouped = read(*data.draw(cuts(some)))

    alone = read(*some)
    assert deliveries(grouped) == deliveries(alone)
    assert [one.body for one in grouped] == [one.body for one in alone]
    assert [id_of("a listener", one.body) for one in grouped] == [id_of("a listener", one.body) for one in alone]


@pytest.mark.parametrize("odd", UNREADABLE.values(), ids=UNREADABLE)
def test_a_fact_that_cannot_be_read_is_nobodys_matter_but_its_own(odd: str) -> None:
    found = deliveries(read(body_of([GOOD[0], odd, GOOD[1]])))

    assert [isinstance(one, Delivery) for one in found] == [True, False, True]


@pytest.mark.parametrize("detail", ODD_GROUPS.values(), ids=ODD_GROUPS)
@pytest.mark.parametrize("members", [{}, {"odd": 10**40}], ids=["", "and not even JSON to us"])
def test_a_group_that_is_not_as_we_publish_them_is_one_message_that_nobody_can_read(
    detail: Any,  # noqa: ANN401
    members: dict[str, int],
) -> None:
    odd = json.dumps({**json.loads(GOOD[0]), "detail": {**detail, **members}})

    first, one, last = read(GOOD[0], odd, GOOD[1])

    assert one.body == odd
    with pytest.raises(Poison):
        one.read()
    assert all(isinstance(other, Delivery) for other in deliveries([first, last]))


@pytest.mark.parametrize("filler", [0, 10**40], ids=["", "and not even JSON to us"])
def test_a_replay_brings_no_groups(filler: int) -> None:
    group = {**json.loads(body_of(GOOD[:2])), REPLAY_NAME: "a job", LAKE: True, "odd": filler}

    [one] = read(json.dumps(group))

    with pytest.raises(Poison):
        one.read()


def test_a_fault_has_one_id_however_often_and_with_whom_its_fact_is_published() -> None:
    later = {**json.loads(GOOD[0]), **bus_members("another entry", NOW + 5_000)}
    others = [GOOD[1], GOOD[0].replace("thing 0", "thing 9"), GOOD[0].replace(SOURCE, "elsewhere"), "not JSON"]

    of_one = {id_of("things.listener", one) for one in (GOOD[0], json.dumps(later, separators=(",", ":")))}
    assert len(of_one) == 1
    assert len({*of_one, *(id_of("things.listener", one) for one in others), id_of("another", GOOD[0])}) == 6
