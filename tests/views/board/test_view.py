from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.events.upcast import upcast
from andon.runtime.errors import Poison
from andon.views.materialize import interpret
from contract.names import NORMAL
from tests.support.samples import NOW, body_of, fact, paths, sample
from tests.support.services.versions import LOCATION
from tests.views.board.stories import EVERYTHING, MINUTES
from views.board.row import SEEN, BoardRow
from views.board.standing import TROUBLE, standing_of
from views.board.view import BY_LOCATION, KEYS, ON, TTL_DAYS, UPCASTERS

TIMES = {  # every other type -> the field whose time it keeps; an audit's is that of the event
    "state-reported": "timestamp",
    "audit-recorded": None,
    "operator-assigned": "timestamp",
    "crew-assigned": "timestamp",
    "state-escalated": "timestamp",
    "state-acknowledged": "timestamp",
    "equipment-at-risk": "since",
    "equipment-silent": "since",
    "equipment-back": None,
    "anomaly-detected": "timestamp",
}
ON_EQUIPMENT = [name for _, name in ON if name not in TIMES]
TIMED = [(name, field) for name, field in TIMES.items() if field]
ABOUT_TROUBLE = ("operator-assigned", "state-escalated", "state-acknowledged", "equipment-at-risk")
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
    event = fact(name)
    fields = decide(event).fields

    there = {"Acme", f"MX#West#JAL#Guadalajara#Guadalajara#Centro#{event.partition_key}"}
    expected = {None} if name.endswith("-deleted") else there
    assert {fields[key] for key in BY_LOCATION.names} == expected


def test_what_no_metadata_tells_of_is_in_no_index() -> None:
    for name in TIMES:
        assert not decide(fact(name)).fields.keys() & set(BY_LOCATION.names)


def test_the_board_is_slow_data_tombstones_included() -> None:
    assert TTL_DAYS is None


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_that_the_view_subscribes_to_has_a_key(name: str) -> None:
    published = DomainEvent.from_wire(sample("domain", name))

    assert decide(upcast(published, UPCASTERS, source=published.tags["source"])).key.keys() == set(KEYS.names)


@pytest.mark.parametrize("name", ON_EQUIPMENT)
@pytest.mark.parametrize("value", [None, "", 7, ["x"], {"S": "x"}], ids=str)
def test_metadata_without_an_id_is_poison(name: str, value: object) -> None:
    with pytest.raises(Poison):
        decide(_with_id(name, value))


def _with_id(name: str, value: object) -> DomainEvent:
    event = fact(name)
    [(entity_name, entity)] = event.entities.items()
    return event._replace(entities={entity_name: {**entity, "id": value}})


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("value", [None, "", 7, ["x"], {"S": "x"}], ids=str)
def test_a_fact_about_nothing_is_poison(name: str, value: object) -> None:
    with pytest.raises(Poison):
        decide(fact(name, equipmentId=value))


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


@pytest.mark.parametrize("state", ["seen", "normal", "A#B", "", "A" * 33, "WARNING*"])
def test_a_state_that_would_blur_the_attribute_is_refused(state: str) -> None:
    with pytest.raises((Poison, ValueError)):
        decide(fact("state-reported", state=state))


@pytest.mark.parametrize(("name", "field"), TIMED)
@pytest.mark.parametrize(
    "time", ["2020-04-24T14:50:00Z", "2020-04-24T16:50:00.000+02:00", "2020-04-24", "1587739800000"]
)
def test_a_time_of_another_width_would_break_the_order_and_is_refused(name: str, field: str, time: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match="fixed-width"):
        decide(fact(name, **{field: time}))


@pytest.mark.parametrize(("name", "field"), TIMED)
@pytest.mark.parametrize("value", [None, "", 7], ids=str)
def test_a_fact_of_no_time_is_poison(name: str, field: str, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(Poison):
        decide(fact(name, **{field: value}))


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("operator-assigned", "operator"),
        ("state-escalated", "supervisor"),
        ("state-acknowledged", "acknowledgedBy"),
        ("equipment-at-risk", "reason"),
    ],
)
@pytest.mark.parametrize("value", [None, "", 7], ids=str)
def test_nobody_cannot_see_to_it_and_nothing_is_no_reason(name: str, field: str, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(Poison):
        decide(fact(name, **{field: value}))


def test_to_go_silent_and_to_be_back_write_the_same_fields_under_one_oplock() -> None:
    silent, back = decide(fact("equipment-silent")), decide(fact("equipment-back"))

    assert silent.oplock == back.oplock
    assert silent.fields == {"SilentSince": "2020-04-24T14:50:00.000Z"}
    assert back.fields == {"SilentSince": None}


@pytest.mark.parametrize("name", ["operator-assigned", "state-escalated"])
def test_what_a_rule_decided_is_kept_as_if_a_person_had(name: str) -> None:
    by_rule = fact(f"{name}.by-rule")
    ((entity_name, entity),) = by_rule.entities.items()
    by_hand = {field: value for field, value in entity.items() if field not in {"by", "rule", "triggers"}}

    assert by_hand.keys() < entity.keys()
    assert decide(by_rule) == decide(by_rule._replace(entities={entity_name: by_hand}))


def test_views_never_read_raw_and_unknown_fields_do_not_matter() -> None:
    for event in EVERYTHING:
        ((name, entity),) = event.entities.items()
        odd = event._replace(raw=None, entities={name: {**entity, "colour": "red"}, "unknown": {}})

        assert decide(odd) == decide(event)


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


def test_every_attribute_that_is_written_is_one_of_the_row() -> None:
    written = {name for event in EVERYTHING for name in (*decide(event).key, *decide(event).fields)}

    assert {name for name in written if not name.startswith(SEEN)} == BoardRow.__annotations__.keys()
