from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.runtime.errors import Poison
from andon.views.materialize import interpret
from contract.names import NORMAL
from tests.support.samples import NOW, body_of, fact, sample
from tests.support.services.versions import LOCATION
from tests.views.board.stories import MINUTES
from views.board.row import SEEN
from views.board.standing import TROUBLE, standing_of
from views.board.view import BY_LOCATION, KEYS, ON, TTL_DAYS, UPCASTERS

ON_EQUIPMENT = [name for _, name in ON if {"equipment", "machine"} & fact(name).entities.keys()]
ABOUT_TROUBLE = ("operator-assigned", "state-escalated", "state-acknowledged", "equipment-at-risk")


def decide(event: DomainEvent) -> Any:  # noqa: ANN401
    return ON[event.tags["source"], event.type](event)


@pytest.mark.parametrize("name", ON_EQUIPMENT)
def test_only_equipment_that_is_there_has_the_keys_of_the_index(name: str) -> None:
    event = fact(name)
    fields = decide(event).fields

    there = {"Acme", f"MX#West#JAL#Guadalajara#Guadalajara#Centro#{event.partition_key}"}
    expected = {None} if name.endswith("-deleted") else there
    assert {fields[key] for key in BY_LOCATION.names} == expected


def test_what_no_metadata_tells_of_is_in_no_index() -> None:
    for _, name in ON:
        assert name in ON_EQUIPMENT or not decide(fact(name)).fields.keys() & set(BY_LOCATION.names)


def test_the_board_is_slow_data_tombstones_included() -> None:
    assert TTL_DAYS is None


@pytest.mark.parametrize("place", [None, "MX", [], {}, {**LOCATION, "city": None}, {**LOCATION, "city": 7}], ids=str)
def test_metadata_that_stands_nowhere_is_refused(place: object) -> None:
    with pytest.raises((Poison, TypeError, KeyError, ValueError)):
        decide(fact("equipment-created", location=place))


@pytest.mark.parametrize(
    "levels", [None, "MX", {}, ["MX"], [{}], [{"level": "city"}], [{"level": 7, "name": "x"}]], ids=str
)
def test_a_machine_that_stands_on_no_levels_is_refused(levels: object) -> None:
    with pytest.raises(Poison):
        decide(fact("machine-created", levels=levels))


@pytest.mark.parametrize("level", list(LOCATION))
@pytest.mark.parametrize("value", ["", "a#b", "a/b", "x" * 129, "a\nb"])
def test_a_place_that_would_blur_the_key_is_refused(level: str, value: str) -> None:
    with pytest.raises(ValueError, match="printable characters"):
        decide(fact("equipment-created", location={**LOCATION, level: value}))


def test_to_go_silent_and_to_be_back_write_the_same_fields_under_one_oplock() -> None:
    silent, back = decide(fact("equipment-silent")), decide(fact("equipment-back"))

    assert silent.oplock == back.oplock
    assert silent.fields == {"SilentSince": "2020-04-24T14:50:00.000Z"}
    assert back.fields == {"SilentSince": None}


def test_a_report_in_its_old_shape_is_kept_as_one_of_today() -> None:
    body = body_of(DomainEvent.from_wire(sample("domain", "state-reported.v0")))

    _, update = interpret(body, ON, UPCASTERS, now_ms=NOW)

    assert update.key == KEYS.of("d#12345")
    assert update.fields == {f"{SEEN}WARNING1": "2020-04-24T14:35:00.000Z"}


reports = st.lists(
    st.tuples(st.sampled_from([NORMAL, "WARNING1", "ERROR"]), st.integers(0, 9)), min_size=1, unique_by=lambda r: r[1]
)


def row_of(reported: list[tuple[str, int]], **more: Any) -> Any:  # noqa: ANN401
    """Return the row of some reports: `(state, minute)`."""
    return more | {f"{SEEN}{state}": MINUTES[minute] for state, minute in in_order(reported)}


def in_order(reported: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(reported, key=lambda report: report[1])


@given(reports)
def test_the_newest_state_lasts_since_the_newest_report_of_another_one(reported: list[tuple[str, int]]) -> None:
    standing = standing_of(row_of(reported))

    now = in_order(reported)[-1][0]
    others = [minute for state, minute in reported if state != now]
    assert standing.state == now
    assert standing.since == (MINUTES[max(others)] if others else None)


@given(reports, st.integers(0, 9))
@pytest.mark.parametrize("said", TROUBLE)
def test_what_is_done_about_a_trouble_is_told_while_it_lasts(
    said: str, reported: list[tuple[str, int]], about: int
) -> None:
    what, of_log = TROUBLE[said]

    standing = standing_of(row_of(reported, **{what: "what was said", of_log: MINUTES[about]}))

    normal = max((minute for state, minute in reported if state == NORMAL), default=-1)
    lasts = in_order(reported)[-1][0] != NORMAL and about > normal
    assert standing.trouble == ({said: "what was said"} if lasts else {})


@given(reports, st.integers(0, 9))
def test_equipment_is_silent_since_its_last_report_unless_a_newer_one_was_seen(
    reported: list[tuple[str, int]], since: int
) -> None:
    standing = standing_of(row_of(reported, SilentSince=MINUTES[since]))

    newer = [minute for _, minute in reported if minute > since]
    assert standing.silent_since == (None if newer else MINUTES[since])
    assert standing_of(row_of(reported)).silent_since is None


def test_whatever_is_told_of_a_trouble_is_kept_with_the_time_that_it_is_about() -> None:
    shown: dict[str, set[str]] = {}
    for attribute, of_log in TROUBLE.values():
        shown.setdefault(of_log, {of_log}).add(attribute)

    assert [decide(fact(name)).fields.keys() for name in ABOUT_TROUBLE] == list(shown.values())
