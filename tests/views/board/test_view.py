from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.names import NORMAL
from patterns.domain_event import DomainEvent
from patterns.errors import Poison
from patterns.materialize import interpret
from patterns.upcast import upcast
from tests.samples import body_of, fact, paths, sample
from tests.services.versions import LOCATION
from tests.views.board.stories import EVERYTHING, MINUTES
from views.board.standing import standing_of
from views.board.view import BY_LOCATION, KEYS, ON, SEEN, TTL_DAYS, UPCASTERS

ON_EQUIPMENT = [name for source, name in ON if name.startswith("equipment-")]
OTHERS = {"state-reported": "state", "audit-recorded": "audit", "operator-assigned": "assignment"}
SAMPLES = [path.stem for path in paths("domain") if path.stem.split(".")[0] in {name for _, name in ON}]


def decide(event: DomainEvent) -> Any:  # noqa: ANN401
    return ON[event.tags["source"], event.type](event)


def test_sets_of_fields_under_different_oplocks_are_disjoint_and_those_under_one_are_the_same() -> None:
    updates = [decide(event) for event in EVERYTHING]

    for one, other in combinations(updates, 2):
        if one.oplock == other.oplock:
            assert one.fields.keys() == other.fields.keys()
        else:
            assert not one.fields.keys() & other.fields.keys()
        assert one.key == other.key
    for update in updates:
        assert not update.fields.keys() & (update.key.keys() | {"ttl"})
        assert not any(name.startswith("oplock#") for name in update.fields)


@pytest.mark.parametrize("name", ON_EQUIPMENT)
def test_only_equipment_that_is_there_has_the_keys_of_the_index(name: str) -> None:
    fields = decide(fact(name)).fields

    expected = {None} if name == "equipment-deleted" else {"Acme", "MX#West#JAL#Guadalajara#Guadalajara#Centro#press-7"}
    assert {fields[key] for key in BY_LOCATION.names} == expected


def test_what_no_metadata_tells_of_is_in_no_index() -> None:
    for name in OTHERS:
        assert not decide(fact(name)).fields.keys() & set(BY_LOCATION.names)


def test_the_board_is_slow_data_tombstones_included() -> None:
    assert TTL_DAYS is None


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_that_the_view_subscribes_to_has_a_key(name: str) -> None:
    told = DomainEvent.from_wire(sample("domain", name))

    assert decide(upcast(told, UPCASTERS, source=told.tags["source"])).key.keys() == set(KEYS.names)


@pytest.mark.parametrize("name", ON_EQUIPMENT)
@pytest.mark.parametrize("value", [None, "", 7, ["x"], {"S": "x"}], ids=str)
def test_metadata_without_an_id_is_poison(name: str, value: object) -> None:
    with pytest.raises(Poison):
        decide(_with_id(name, value))


def _with_id(name: str, value: object) -> DomainEvent:
    event = fact(name)
    return replace(event, entities={"equipment": {**event.entities["equipment"], "id": value}})


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("value", [None, "", 7, ["x"], {"S": "x"}], ids=str)
def test_a_fact_about_nothing_is_poison(name: str, value: object) -> None:
    with pytest.raises(Poison):
        decide(fact(name, equipmentId=value))


@pytest.mark.parametrize("place", [None, "MX", [], {}, {**LOCATION, "city": None}, {**LOCATION, "city": 7}], ids=str)
def test_metadata_that_stands_nowhere_is_refused(place: object) -> None:
    with pytest.raises((Poison, TypeError, KeyError, ValueError)):
        decide(fact("equipment-created", location=place))


@pytest.mark.parametrize("level", list(LOCATION))
@pytest.mark.parametrize("value", ["", "a#b", "a/b", "x" * 129, "a\nb"])
def test_a_place_that_would_blur_the_key_is_refused(level: str, value: str) -> None:
    with pytest.raises(ValueError, match="printable characters"):
        decide(fact("equipment-created", location={**LOCATION, level: value}))


@pytest.mark.parametrize("state", ["seen", "normal", "A#B", "", "A" * 33, "WARNING*"])
def test_a_state_that_would_blur_the_attribute_is_refused(state: str) -> None:
    with pytest.raises((Poison, ValueError)):
        decide(fact("state-reported", state=state))


@pytest.mark.parametrize("name", ["state-reported", "operator-assigned"])
def test_a_time_of_another_width_would_break_the_order_and_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="fixed-width"):
        decide(fact(name, timestamp="2020-04-24T14:50:00Z"))


def test_views_never_read_raw_and_unknown_fields_do_not_matter() -> None:
    for event in EVERYTHING:
        ((name, entity),) = event.entities.items()
        odd = replace(event, raw=None, entities={name: {**entity, "colour": "red"}, "unknown": {}})

        assert decide(odd) == decide(event)


def test_a_report_in_its_old_shape_is_kept_as_one_of_today() -> None:
    _, update = interpret(body_of(DomainEvent.from_wire(sample("domain", "state-reported.v0"))), ON, UPCASTERS)

    assert update.key == KEYS.of("d#12345")
    assert update.fields == {f"{SEEN}WARNING1": "2020-04-24T14:35:00.000Z"}


reports = st.lists(
    st.tuples(st.sampled_from([NORMAL, "WARNING1", "ERROR"]), st.integers(0, 9)), min_size=1, unique_by=lambda r: r[1]
)


@given(reports, st.integers(0, 9))
def test_the_newest_state_lasts_since_the_newest_report_of_another_one(
    told: list[tuple[str, int]], assigned_to: int
) -> None:
    row: dict[str, Any] = {"Operator": "Liz", "AssignedTo": MINUTES[assigned_to]}
    for state, minute in sorted(told, key=lambda report: report[1]):
        row[f"{SEEN}{state}"] = MINUTES[minute]

    standing = standing_of(row)

    by_time = [state for state, _ in sorted(told, key=lambda report: report[1])]
    others = [minute for state, minute in told if state != by_time[-1]]
    normal = max((minute for state, minute in told if state == NORMAL), default=-1)
    assert standing.state == by_time[-1]
    assert standing.since == (MINUTES[max(others)] if others else None)
    assert standing.operator == ("Liz" if by_time[-1] != NORMAL and assigned_to > normal else None)
