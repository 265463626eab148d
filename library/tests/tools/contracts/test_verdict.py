"""The verdict: who is named for which change, of what was released and of today."""

from typing import Any, Final, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.topic import Topic
from andon.packages.discovery import FactSubscription
from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.tools.contracts import derive, report, verdict
from andon.tools.contracts.derive import Derived, news, versioned
from andon.tools.contracts.diff import Change, SchemaChange
from andon.tools.contracts.members import Path, path_in
from andon.tools.contracts.need import UNUSED, LostMember, Need
from andon.tools.contracts.page import Blind
from andon.tools.contracts.publishers import schema_of
from andon.tools.contracts.state import ContractState, TypeState, from_json, to_json
from andon.tools.contracts.verdict import ContractFinding, Severity

FINE, LOSES, BREAKS = Severity.FINE, Severity.LOSES, Severity.BREAKS
MOVED: Final[Topic] = ("things", "thing-moved")
REQUIRED: Final = Need(LostMember.REQUIRED, keeps=True, refuses=frozenset({"a number", "null"}))
LOST: Final = Need(LostMember.LOST, keeps=True)
CHECKED: Final = Need(LostMember.REQUIRED, refuses=frozenset({"another text"}))
ID, PLACE, KIND, NOTE = map(path_in, ("thing.id", "thing.place", "thing.kind", "thing.note"))


class Thing(TypedDict):
    id: str
    place: str
    kind: Literal["small", "large"]
    note: NotRequired[str]


class NoPlace(TypedDict):
    id: str
    kind: Literal["small", "large"]
    note: NotRequired[str]


class Loose(TypedDict):
    id: str
    place: NotRequired[str]
    kind: Literal["small", "large", "huge"]
    note: NotRequired[str]
    owner: NotRequired[str]


class Counted(TypedDict):
    id: str
    place: int
    kind: Literal["small", "large"]
    note: NotRequired[str]


EVENT: Final[JsonObject] = {
    "id": "1",
    "type": "thing-moved",
    "timestamp": 1_000,
    "partitionKey": "a",
    "tags": {"actor": "ann", "source": "things"},
    "thing": {"id": "a", "place": "north", "kind": "small", "note": "heavy"},
}
READERS: Final[dict[str, dict[Path, Need]]] = {
    "shelf.listener": {PLACE: REQUIRED, KIND: CHECKED},
    "list.listener": {PLACE: LOST, NOTE: LOST},
    "count.listener": {ID: REQUIRED},
}


def a_state(kind: object = Thing, event: JsonObject = EVENT, **more: Any) -> ContractState:  # noqa: ANN401
    readers = more.get("readers", READERS)
    one = TypeState(1, "thing", schema_of(kind), {"thing-moved": event}, more.get("live", frozenset()))
    return ContractState(
        {MOVED: one}, {who: {MOVED: needs} for who, needs in readers.items()}, more.get("faults", frozenset())
    )


def named(findings: Any) -> dict[tuple[str, str], Severity]:  # noqa: ANN401
    """Who is found, and for which member."""
    return {(one.who, ".".join(one.path)): one.severity for one in verdict.each_once(findings)}


def saying(**members: object) -> JsonObject:
    thing = EVENT["thing"] | members
    return {**EVENT, "thing": {name: value for name, value in thing.items() if value is not None}}


@pytest.mark.parametrize(
    ("change", "severities"),
    [
        (SchemaChange(ID, Change.GONE), (BREAKS, LOSES, BREAKS, FINE)),
        (SchemaChange(ID, Change.OPTIONAL), (BREAKS, LOSES, BREAKS, FINE)),
        (SchemaChange(ID, Change.KIND, "a number"), (BREAKS, LOSES, FINE, FINE)),
        (SchemaChange(ID, Change.KIND, "a list"), (LOSES, LOSES, FINE, FINE)),
        (SchemaChange(ID, Change.VALUE, '"huge"'), (FINE, FINE, BREAKS, FINE)),
        (SchemaChange(ID, Change.NEW), (FINE, FINE, FINE, FINE)),
    ],
    ids=str,
)
def test_a_change_is_as_grave_as_the_need(change: SchemaChange, severities: tuple[Severity, ...]) -> None:
    assert tuple(verdict.severity_of(need, change) for need in (REQUIRED, LOST, CHECKED, UNUSED)) == severities


def test_a_listed_value_that_todays_consumer_was_tried_with_is_no_matter_of_another_text() -> None:
    change = SchemaChange(KIND, Change.VALUE, '"huge"')

    assert verdict.severity_of(CHECKED, change, now=CHECKED) is FINE
    assert verdict.severity_of(CHECKED, change, now=Need(LostMember.LOST, refuses=frozenset({'"huge"'}))) is BREAKS


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Thing, {}),
        (NoPlace, {("shelf.listener", "thing.place"): BREAKS, ("list.listener", "thing.place"): LOSES}),
        (Loose, {("shelf.listener", "thing.place"): BREAKS, ("list.listener", "thing.place"): LOSES}),
        (Counted, {("shelf.listener", "thing.place"): BREAKS, ("list.listener", "thing.place"): LOSES}),
    ],
)
def test_all_released_readers_of_a_member_that_changes_are_named_and_nobody_else(
    kind: object, names: dict[tuple[str, str], Severity]
) -> None:
    assert named(verdict.of_schemas(a_state(), a_state(kind))) == names


def test_a_reader_that_is_no_more_is_told_to_be_released_first() -> None:
    today = a_state(NoPlace, readers={"count.listener": {ID: REQUIRED}})

    found = [*verdict.of_schemas(a_state(), today)]

    assert {one.who for one in found} == {"shelf.listener", "list.listener"}
    assert all("release that first" in one.why for one in found)


def test_readers_of_a_type_that_is_no_more_lose_it() -> None:
    found = named(verdict.of_schemas(a_state(), ContractState({}, {})))

    assert found == dict.fromkeys(((who, "") for who in READERS), LOSES)


def test_who_requires_what_may_be_missing_or_refuses_what_is_listed_breaks_today() -> None:
    refuses_large = Need(LostMember.LOST, refuses=frozenset({'"large"'}))
    today = a_state(readers={"odd.listener": {NOTE: REQUIRED, KIND: refuses_large}, "list.listener": {NOTE: LOST}})

    assert named(verdict.of_types(today)) == {
        ("odd.listener", "thing.note"): BREAKS,
        ("odd.listener", "thing.kind"): BREAKS,
    }


class Owned(Thing):
    owner: str


@pytest.mark.parametrize(
    ("kind", "may_lack", "named"), [(Owned, {"note"}, True), (Owned, {"owner"}, False), (Loose, {"note"}, False)]
)
def test_a_new_member_that_rows_of_before_lack_is_refused_unless_it_may_be_missing_or_is_gained(
    kind: type, may_lack: set[str], *, named: bool
) -> None:
    found = [*verdict.of_rows(a_state(), a_state(kind), {MOVED: frozenset(may_lack)})]

    assert [(one.severity, one.who, one.path) for one in found] == [(BREAKS, "things", path_in("thing.owner"))] * named
    assert [*verdict.of_rows(a_state(kind), a_state(kind), {MOVED: frozenset()})] == []


def test_the_image_of_a_row_is_its_services_own() -> None:
    image = {path_in("raw"): LOST, path_in("raw.new"): LOST}
    today = a_state(readers={"things.restore": image, "list.listener": image})

    assert named(verdict.of_images(today)) == {("list.listener", "raw"): BREAKS}


@pytest.mark.parametrize(
    ("again", "sample", "names"),
    [
        ({}, {}, {}),
        ({"place": None}, {"place": None}, {"shelf.listener": BREAKS, "list.listener": LOSES}),
        ({"place": "south"}, {"place": "south"}, {"shelf.listener": LOSES, "list.listener": LOSES}),
        ({"place": 7}, {"place": 7}, {"shelf.listener": BREAKS, "list.listener": LOSES}),
        ({"place": "south"}, {}, {}),
        ({}, {"place": "south", "note": None}, {}),
        ({"id": "b"}, {"id": "b"}, {"count.listener": LOSES}),
    ],
)
def test_a_member_counts_that_the_same_row_and_the_sample_say_otherwise(
    again: dict[str, object], sample: dict[str, object], names: dict[str, Severity]
) -> None:
    found = derive.of_events(a_state(), a_state(event=saying(**sample)), lambda *_: saying(**again))

    assert {who: severity for (who, _), severity in named(found).items()} == names


def test_what_stories_show_no_more_is_lost_unless_they_were_not_told() -> None:
    released, today = a_state(live=frozenset({("thing",), PLACE})), a_state(live=frozenset({("thing",)}))

    assert named(derive.of_events(released, today, lambda *_: EVENT)) == {
        ("shelf.listener", "thing.place"): BREAKS,
        ("list.listener", "thing.place"): LOSES,
    }
    assert named(derive.of_events(released, today, lambda *_: EVENT, are_told=False)) == {}


@given(st.sampled_from([Thing, NoPlace, Loose, Counted]), st.sampled_from([Thing, NoPlace, Loose, Counted]))
def test_a_version_grows_exactly_with_what_a_reader_may_not_expect_and_keeps_the_events_before(
    before: object, after: object
) -> None:
    released, today = a_state(before), a_state(after)

    one = versioned(today, released).types[MOVED]

    different = dict(news(today, released)).get(MOVED) or []
    is_broken = any(change.change is not Change.NEW for change in different)
    assert one.version == (2 if is_broken else 1)
    assert one.older == ({"1": {"thing-moved": EVENT}} if is_broken else {})


def test_the_gravest_finding_of_a_member_is_the_one_that_is_said() -> None:
    findings = [ContractFinding(one, "a.listener", MOVED, ID, one.name) for one in (LOSES, BREAKS, LOSES)]

    assert [one.why for one in verdict.each_once(iter(findings))] == ["BREAKS"]


@given(
    st.builds(
        Need,
        st.sampled_from(LostMember),
        st.booleans(),
        st.frozensets(st.sampled_from(["null", "a fraction", '"x, y; \\" z"', '"required"'])),
    )
)
def test_a_state_is_the_same_once_it_was_written_and_read(need: Need) -> None:
    state = a_state(readers={"odd.listener": {ID: need}}, live=frozenset({ID, path_in("thing.parts[].id")}))

    assert from_json(to_json(state)) == state
    assert to_json(from_json(to_json(state))) == to_json(state)


def test_the_words_name_whoever_breaks_and_the_status_is_the_gravest() -> None:
    released, today = a_state(), versioned(a_state(NoPlace), a_state())
    findings = verdict.each_once(verdict.of_schemas(released, today))

    lines = [*report.report(Derived(today, findings, Blind(["things.rule-odd"]), 1_234), released)]

    assert lines[1:] == [
        "things/thing-moved, version 2: thing.place is said no more.",
        "things/thing-moved",
        "  breaks shelf.listener: thing.place is said no more by its type",
        "  loses list.listener: thing.place is said no more by its type",
        "What no sample and no story shows: 1, see .local/contracts/contracts.md.",
        "Breaks: shelf.listener.",
    ]
    assert report.status_of(findings) == 2
    assert [report.status_of([one]) for one in findings] == [2, 1]
    assert report.status_of([]) == 0


def test_who_is_new_to_a_type_and_not_deployed_first_is_named() -> None:
    released = a_state(readers={"shelf.listener": {ID: LOST}})
    things, shelf, list_ = (Package("services", name) for name in ("things", "shelf", "list"))
    together = [FactSubscription(MOVED, things, subscriber) for subscriber in (shelf, list_)]

    lines = [*report.report(Derived(released, [], Blind([]), 1), released, together)]

    assert lines[1:-1] == [
        (
            "things/thing-moved: list is new to it, and neither it nor things is deployed first. "
            "Publish it a deployment later, see docs/recipes.md."
        )
    ]
