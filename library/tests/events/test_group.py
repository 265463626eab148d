import json
from itertools import chain, groupby, pairwise
from typing import Any

import pytest
from events.test_bus_entry import AROUND
from hypothesis import given
from hypothesis import strategies as st

from andon.events.bus_entry import size_of, to_entry, to_message
from andon.events.domain_event import MAX_NAME_CHARACTERS, DomainEvent
from andon.events.group import (
    BILLED_BYTES,
    MOST_BYTES,
    MOST_FACTS,
    bodies_of,
    body_of,
    cut,
    details_in,
    head_of,
    to_detail,
)
from andon.runtime.errors import Poison
from toys.things import happened

SOURCE = "workshop"

notes = st.recursive(st.none() | st.integers() | st.text(st.characters(codec="utf-8")), st.lists, max_leaves=4)
events = st.builds(
    lambda number, note: happened("painted", f"thing {number}", id=f"e{number}", note=note), st.integers(0, 9), notes
)
sizes = st.integers(60, 3_000) | st.sampled_from([MOST_BYTES // 2, MOST_BYTES, 400_000])


@given(st.lists(st.tuples(st.sampled_from(["painted", "weighed"]), sizes), max_size=60))
def test_every_fact_is_in_one_entry_of_its_type_as_many_as_fit_and_in_their_order_whatever_lies_between(
    facts: list[tuple[str, int]],
) -> None:
    types, bytes_ = [kind for kind, _ in facts], [size for _, size in facts]

    groups = cut(types, bytes_, source=SOURCE)

    def size(numbers: list[int]) -> int:
        detail = to_detail(["x" * bytes_[number] for number in numbers])
        return size_of({"EventBusName": "", "Source": SOURCE, "DetailType": types[numbers[0]], "Detail": detail})

    firsts = [numbers[0] for numbers in groups]
    assert firsts == sorted(firsts)
    for kind in {*types}:
        of_kind = [numbers for numbers in groups if types[numbers[0]] == kind]
        assert [*chain.from_iterable(of_kind)] == [number for number, other in enumerate(types) if other == kind]
        assert all(len(numbers) == 1 or size(numbers) <= MOST_BYTES for numbers in of_kind)
        assert all(size([*one, following[0]]) > MOST_BYTES - 1 for one, following in pairwise(of_kind))


@given(st.lists(st.tuples(st.sampled_from("abc"), sizes), max_size=60))
def test_there_are_never_more_entries_than_if_only_neighbours_shared_one(facts: list[tuple[str, int]]) -> None:
    runs = [[*run] for _, run in groupby(facts, lambda fact: fact[0])]

    def entries(some: list[tuple[str, int]]) -> int:
        return len(cut([kind for kind, _ in some], [size for _, size in some], source=SOURCE))

    assert entries(facts) <= sum(map(entries, runs))


@given(st.integers(1, 20), st.integers(1, 5))
def test_small_facts_of_types_that_take_turns_have_an_entry_for_each_type(rounds: int, types: int) -> None:
    kinds = [str(number) for number in range(types)] * rounds

    assert cut(kinds, [100] * len(kinds), source=SOURCE) == [[*range(of, len(kinds), types)] for of in range(types)]


def test_a_group_has_no_more_facts_than_its_readers_take_however_small_they_are() -> None:
    assert [len(numbers) for numbers in cut(["a"] * 2_001, [1] * 2_001, source="a")] == [MOST_FACTS, MOST_FACTS, 1]


@given(
    source=st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=MAX_NAME_CHARACTERS),
    kind=st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=MAX_NAME_CHARACTERS),
    note=st.sampled_from(["x", '"', "\\", "é", "工", "🏭"]).map(lambda filler: filler * 100),
)
def test_a_group_is_billed_as_one_entry_and_with_the_envelope_of_the_bus_as_one_message(
    source: str, kind: str, note: str
) -> None:
    event = happened("painted", "a thing", note=note)._replace(type=kind)
    detail = to_entry(event, source=source, bus="b")["Detail"]
    count = 2 * MOST_BYTES // len(detail.encode())

    [numbers, *_] = cut([kind] * count, [len(detail.encode())] * count, source=source)

    entry = {**to_entry(event, source=source, bus="b"), "Detail": to_detail([detail] * len(numbers))}
    around = json.dumps({**AROUND, "source": source, "detail-type": kind}, ensure_ascii=False)
    message = f'{around[:-1]},"detail":{entry["Detail"]}}}'
    assert size_of(entry) <= MOST_BYTES  # type: ignore[arg-type]
    assert len(message.encode()) <= BILLED_BYTES


@given(st.lists(events, min_size=1, max_size=5), st.sampled_from([None, 1]))
def test_facts_come_out_as_they_would_have_come_alone_and_go_back_together(
    some: list[DomainEvent], indent: int | None
) -> None:
    alone = [to_message(event, source=SOURCE, bus_event=head_of(AROUND)) for event in some]
    group = {**json.loads(alone[0]), "detail": {"group": 1, "facts": [event.to_wire() for event in some]}}

    found = bodies_of(json.dumps({**AROUND, **group}, indent=indent))

    assert [*map(json.loads, found)] == [*map(json.loads, alone)]
    again = body_of(found)
    assert json.loads(again) == (group if len(some) > 1 else json.loads(alone[0]))
    assert len(some) == 1 or bodies_of(again) == found


@given(st.lists(events, min_size=1, max_size=5))
def test_an_entry_has_the_facts_that_were_put_into_it(some: list[DomainEvent]) -> None:
    details = [to_entry(event, source=SOURCE, bus="b")["Detail"] for event in some]

    assert details_in(to_detail(details)) == details


def test_an_event_about_a_group_is_none() -> None:
    event = happened("painted", "a thing")._replace(entities={"group": {"id": "g1"}, "facts": {"number": 7}})
    detail = to_entry(event, source=SOURCE, bus="b")["Detail"]

    assert details_in(detail) == [detail]
    with pytest.raises(ValueError, match="no group"):
        bodies_of(to_message(event, source=SOURCE))


FACT: Any = happened("painted", "a thing").to_wire()
ODD_GROUPS: dict[str, Any] = {
    "of a version that is not known": {"group": 2, "facts": [FACT]},
    "of the version true": {"group": True, "facts": [FACT]},
    "of the version 1.0": {"group": 1.0, "facts": [FACT]},
    "of the version '1'": {"group": "1", "facts": [FACT]},
    "without facts": {"group": 1},
    "of nothing": {"group": 1, "facts": []},
    "whose facts are an object": {"group": 1, "facts": FACT},
    "whose facts are a text": {"group": 1, "facts": json.dumps([FACT])},
    "with null": {"group": 1, "facts": [FACT, None]},
    "with a text": {"group": 1, "facts": [FACT, json.dumps(FACT)]},
    "with a list": {"group": 1, "facts": [[FACT], FACT]},
    "with a group": {"group": 1, "facts": [FACT, {"group": 1, "facts": [FACT]}]},
    "with too many": {"group": 1, "facts": [FACT] * (MOST_FACTS + 1)},
    "with far too many": {"group": 1, "facts": [1] * 100_000},
}
"""Groups that nobody of us publishes: they are refused as a whole."""


@pytest.mark.parametrize("detail", ODD_GROUPS.values(), ids=ODD_GROUPS)
def test_a_group_that_is_not_as_we_publish_them_is_refused_as_a_whole_by_what_is_wrong(detail: Any) -> None:  # noqa: ANN401
    with pytest.raises(Poison, match="group"):
        details_in(json.dumps(detail))
    with pytest.raises((Poison, ValueError), match=r"group|begin"):
        bodies_of(json.dumps({**AROUND, "source": SOURCE, "detail-type": FACT["type"], "detail": detail}))
