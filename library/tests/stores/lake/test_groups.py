"""What shared an entry of the bus is in the lake as if it had come alone, byte by byte."""

import json

import pytest
from events.test_group import ODD_GROUPS
from events.test_received import EXACT, GOOD, UNREADABLE, cuts
from hypothesis import given
from hypothesis import strategies as st

from andon.events.group import MOST_FACTS, body_of
from andon.recorded.lake import lines_of
from andon.stores.lake.batch import LakeObject, objects_of
from andon.testing.lambda_events import bus_members
from toys.clock import NOW

# Deeper, and other than Unicode, is no JSON to any reader of the lake; the rest the lake takes as it is.
NO_LINES = {name: UNREADABLE[name] for name in ("NaN", "a lone surrogate", "nested too deeply for any parser")}
LINES = [*GOOD, *EXACT.values(), *(body for name, body in UNREADABLE.items() if name not in {*NO_LINES, "no id"})]


def kept(bodies: list[str]) -> list[LakeObject]:
    return objects_of([(f"message-{number}", body) for number, body in enumerate(bodies)], now_ms=NOW)


def with_bus_id(body: str, bus_id: str) -> str:
    return body.replace(bus_members("an entry", NOW)["id"], bus_id)


@given(st.lists(st.sampled_from(LINES), min_size=2, max_size=8), st.data())
def test_a_batch_has_one_key_and_the_same_bytes_in_whatever_groups_its_facts_came(
    some: list[str], data: st.DataObject
) -> None:
    [alone] = kept([with_bus_id(body, f"alone {number}") for number, body in enumerate(some)])
    in_groups = data.draw(cuts(some))
    [grouped] = kept([with_bus_id(body, f"entry {number}") for number, body in enumerate(in_groups)])

    assert (grouped.key, grouped.body) == (alone.key, alone.body)
    assert len(grouped.message_ids) == len(alone.message_ids) == len(some)


def test_what_a_publisher_says_beside_a_thousand_facts_is_not_kept_a_thousand_times() -> None:
    said = {**json.loads(body_of([GOOD[0]] * MOST_FACTS)), "resources": ["x" * 180_000]}

    [one] = kept([json.dumps(said, separators=(",", ":"))])

    lines = [*lines_of(one.body)]
    assert len(lines[0]) < 1_000


@pytest.mark.parametrize("odd", NO_LINES.values(), ids=NO_LINES)
def test_a_message_with_a_fact_of_which_there_is_no_line_is_kept_whole_beside_its_other_lines(odd: str) -> None:
    whole = body_of([GOOD[0], odd, GOOD[1]])

    lines, unreadable = kept([whole, GOOD[2]])

    assert [json.loads(line)["detail"]["id"] for line in lines_of(lines.body)] == ["e0", "e1", "e2"]
    assert (unreadable.key, unreadable.body) == ("unreadable/message-0", whole.encode())
    assert lines.message_ids == ("message-0", "message-0", "message-1")


@pytest.mark.parametrize("detail", ODD_GROUPS.values(), ids=ODD_GROUPS)
def test_a_group_that_is_not_as_we_publish_them_is_kept_as_it_came(detail: object) -> None:
    odd = json.dumps({**json.loads(GOOD[0]), "detail": detail})

    [one] = kept([odd])

    assert (one.key, one.body, one.is_readable) == ("unreadable/message-0", odd.encode(), False)
