import json
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import pytest

from andon.dynamodb.ttl import ttl_at
from andon.events import publish_changes
from andon.events.domain_event import DomainEvent
from andon.events.publish import NotPublished
from andon.rules.control import MARGIN_MS, control_changes
from andon.rules.control_service import Control
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.rule import Decision, History, Rule
from andon.rules.stored_event import sort_of
from andon.rules.timing import AtOnce
from andon.runtime.errors import CallFailed
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.log_lines import LogLines
from andon.testing.wire import Parameters, Wire
from toys.clock import NOW
from toys.toy_control import (
    BROKEN,
    CONTROL,
    FACTS,
    FORGOTTEN,
    FORGOTTEN_MS,
    HOLD_BACK_MS,
    LABEL,
    LISTING,
    NOISY,
    TTL_DAYS,
    VARIABLE,
    Keeper,
    decide,
    knocked,
    mended,
    room_of,
    rules_of,
    thing_of,
)

TTL_SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def control_of(*rules: Rule, **members: Any) -> Control:  # noqa: ANN401
    return CONTROL._replace(rules=rules_of(*rules), **members)


def arrival(keeper: Keeper, *events: DomainEvent) -> list[dict[str, Any]]:
    """Let events arrive; give the records of the stream that tell of them."""
    keeper.listen(*events)
    return keeper.new_records(VARIABLE)


def changed(record: dict[str, Any], kind: str) -> dict[str, Any]:
    """Turn the record of a row that came to be into one of the same row, changed or removed."""
    other = deepcopy(record)
    other["eventName"] = kind
    other["dynamodb"]["OldImage"] = deepcopy(other["dynamodb"]["NewImage"])
    if kind == "REMOVE":
        del other["dynamodb"]["NewImage"]
    return other


def told(events: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((event["type"], event["decision"]["what"]) for event in events)


def test_an_arrival_is_decided_upon_at_once_by_the_rules_that_need_not_wait(keeper: Keeper, name: str) -> None:
    keeper.give(name, "Liz")

    keeper.listen(knocked(name))
    published = keeper.react(control_of(LABEL, BROKEN))

    assert told(published) == [("thing-labelled", f"decision#label#{NOW}")]
    assert keeper.decisions(thing_of(name)) == [f"label#{NOW}"]


def test_what_must_wait_is_due_when_all_that_counts_has_arrived(keeper: Keeper, name: str) -> None:
    keeper.listen(knocked(name))
    keeper.react(control_of(LABEL, BROKEN, FORGOTTEN))

    dues = sorted((row["at"], row["key"], row["anchor"], row["rules"]) for row in keeper.dues())
    (event,) = keeper.events(thing_of(name))
    assert dues == [
        (NOW + HOLD_BACK_MS, thing_of(name), event.sort, ["broken"]),
        (NOW + FORGOTTEN_MS + HOLD_BACK_MS, thing_of(name), event.sort, ["forgotten"]),
    ]


def test_an_event_is_found_under_every_key_by_which_a_rule_correlates_it(keeper: Keeper, name: str) -> None:
    records = arrival(keeper, knocked(name))
    with frozen_clock(NOW + 7):
        keeper.trigger(records)

    (event,) = keeper.events(thing_of(name))
    for key in (f"{room_of(name)}#noise", f"{room_of(name)}#list"):
        (copy,) = keeper.events(key)
        assert copy == event._replace(key=key, arrived_ms=NOW + 7, correlated=True)
        assert [row["discriminator"] for row in keeper.partition(key)] == ["correlated"]
    assert keeper.events(room_of(name)) == []


def test_what_is_decided_under_another_key_is_decided_when_the_copy_arrives_there(keeper: Keeper, name: str) -> None:
    records = arrival(keeper, knocked(name), knocked(f"{name}!", room=f"room of {name}"))

    keeper.trigger(records)
    assert keeper.decisions(room_of(name)) == []
    assert {row["key"] for row in keeper.dues()} == {thing_of(name), thing_of(f"{name}!")}
    published = keeper.react()

    assert keeper.decisions(room_of(name)) == [f"listing#{name}", f"listing#{name}!"]
    by_key = {row["key"]: row["rules"] for row in keeper.dues() if row["at"] == NOW + HOLD_BACK_MS}
    things = {thing_of(one): ["broken"] for one in (name, f"{name}!")}
    assert by_key == {**things, f"{room_of(name)}#noise": ["noisy"]}
    assert sorted(kind for kind, _ in told(published)) == ["thing-listed"] * 2


def test_a_copy_is_not_copied_again(keeper: Keeper, name: str, wire: Wire) -> None:
    keeper.trigger(arrival(keeper, knocked(name)), control_of(NOISY, LISTING))
    copies = keeper.new_records(VARIABLE)
    assert len(copies) == 2
    wire.requests.clear()

    keeper.trigger(copies, control_of(NOISY, LISTING))

    puts = [request.parameters["Item"]["sk"]["S"] for request in wire.requests if request.operation == "PutItem"]
    assert not [sort for sort in puts if sort.startswith("event#")]
    assert len(puts) == 2  # one is due, one is decided


@pytest.mark.parametrize("identity", [{}, {"userIdentity": TTL_SERVICE}], ids=["by somebody", "by the TTL service"])
def test_only_a_new_event_that_a_rule_is_on_is_evaluated(
    keeper: Keeper, name: str, wire: Wire, identity: dict[str, Any]
) -> None:
    (record,), unheard = arrival(keeper, knocked(name)), arrival(keeper, mended(name))
    wire.requests.clear()

    for kind in ("MODIFY", "REMOVE"):
        keeper.trigger([{**changed(record, kind), **identity}])
    keeper.trigger(unheard)

    assert wire.operations == []
    others: list[dict[str, Any]] = [{"S": "label!"}, {"S": "due"}, {"N": "1"}, {"M": {}}]
    for discriminator in others:
        record["dynamodb"]["NewImage"]["discriminator"] = discriminator
        keeper.trigger([record])
    del record["dynamodb"]["NewImage"]["discriminator"]
    keeper.trigger([record])
    assert "PutItem" not in wire.operations


def test_the_past_of_a_key_is_read_once_for_a_batch(keeper: Keeper, name: str, wire: Wire) -> None:
    keeper.give(name, "Liz")
    records = arrival(keeper, *(knocked(name, at=NOW - number) for number in range(5)))
    wire.requests.clear()

    keeper.trigger(records, control_of(LABEL, LABEL._replace(id="again")))

    assert wire.operations.count("Query") == 1
    assert wire.operations.count("GetItem") == 1


def test_one_key_that_cannot_be_dealt_with_does_not_keep_others_from_it(keeper: Keeper, name: str, wire: Wire) -> None:
    names = [f"{name} {number}" for number in range(3)]
    for one in names:
        keeper.give(one, "Liz")
    records = arrival(keeper, *map(knocked, names))
    failing = thing_of(names[0])
    wire.fail("Query", "InternalServerError", when=lambda query: _partition(query) == failing, times=1)

    with pytest.raises(CallFailed, match="InternalServerError"):
        keeper.trigger(records, control_of(LABEL))

    assert [len(keeper.decisions(thing_of(one))) for one in names] == [0, 1, 1]
    keeper.trigger(records, control_of(LABEL))
    assert [len(keeper.decisions(thing_of(one))) for one in names] == [1, 1, 1]


def _partition(query: Parameters) -> str:
    return str(query["ExpressionAttributeValues"][":p"]["S"])


def test_what_could_not_be_published_is_raised_and_nothing_is_evaluated_before_it_is(
    keeper: Keeper, name: str, wire: Wire, pauses: list[float]
) -> None:
    keeper.give(name, "Liz")
    keeper.trigger(arrival(keeper, knocked(name)), control_of(LABEL))
    decision = keeper.new_records(VARIABLE)
    broken = True
    wire.refuse_entries(lambda _: "InternalFailure" if broken else None)

    with pytest.raises(NotPublished):
        keeper.trigger(decision)
    broken = False
    keeper.trigger(decision)

    assert told(keeper.published()) == [("thing-labelled", f"decision#label#{NOW}")]
    assert pauses


@pytest.mark.usefixtures("pauses", "each_alone")
def test_of_a_batch_that_is_published_in_part_that_part_is_remembered_and_the_stream_goes_on_behind_it(
    keeper: Keeper, name: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(publish_changes.VARIABLE, "1")
    first, second = (decided(keeper, f"{name} {number}") for number in (1, 2))
    wire.refuse_entries(lambda entry: "ThrottlingException" if f"{name} 2" in entry["Detail"] else None)

    response = keeper.trigger([*first, *second])

    assert response["batchItemFailures"] == [{"itemIdentifier": second[0]["dynamodb"]["SequenceNumber"]}]
    own = [[one for one in keeper.events(thing_of(f"{name} {n}")) if one.source == "keeper"] for n in (1, 2)]
    assert [len(events) for events in own] == [1, 0]


@pytest.mark.parametrize(("number", "resumes"), [(0, True), (1, True), (2, True), (1, False)])
def test_a_batch_comes_again_from_the_first_record_that_was_not_done(
    keeper: Keeper,
    name: str,
    wire: Wire,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    resumes: bool,  # noqa: FBT001
) -> None:
    if resumes:
        monkeypatch.setenv(publish_changes.VARIABLE, "1")
    names = [f"{name} {one}" for one in range(3)]
    for one in names:
        keeper.give(one, "Liz")
    records = arrival(keeper, *map(knocked, names))
    failing = {thing_of(one) for one in names[number:]}
    wire.fail("Query", "InternalServerError", when=lambda query: _partition(query) in failing, times=len(failing))

    if resumes and number:
        response = keeper.trigger(records, control_of(LABEL))
        assert response["batchItemFailures"] == [{"itemIdentifier": records[number]["dynamodb"]["SequenceNumber"]}]
    else:
        with pytest.raises(CallFailed, match="InternalServerError"):
            keeper.trigger(records, control_of(LABEL))
    assert [len(keeper.decisions(thing_of(one))) for one in names] == [int(one < number) for one in range(3)]
    keeper.trigger(records[number:], control_of(LABEL))
    assert [len(keeper.decisions(thing_of(one))) for one in names] == [1, 1, 1]


class Hurried(LocalContext):
    """The context of an invocation that has just too little time left."""

    def get_remaining_time_in_millis(self) -> int:
        return MARGIN_MS - 1


def test_where_time_is_short_rules_are_due_at_the_next_sweep(keeper: Keeper, name: str) -> None:
    keeper.give(name, "Liz")
    records = arrival(keeper, knocked(name))
    short = Hurried("keeper-trigger")

    for _ in range(2):
        control_changes({"Records": records}, short, facts=FACTS, control=control_of(LABEL, BROKEN))
    assert keeper.decisions(thing_of(name)) == []
    assert [(row["at"], row["rules"]) for row in keeper.dues()] == [(NOW, ["label"]), (NOW + HOLD_BACK_MS, ["broken"])]

    keeper.sweep(NOW + STORED_WITHIN_MS, control_of(LABEL, BROKEN))
    assert keeper.decisions(thing_of(name)) == [f"label#{NOW}"]


def test_an_own_fact_is_remembered_once_beside_others(keeper: Keeper, name: str, log_lines: LogLines) -> None:
    decision = decided(keeper, name)
    keeper.trigger(decision, CONTROL._replace(remembers={}))
    (unremembered,) = keeper.published()
    assert [one.source for one in keeper.events(thing_of(name))] == ["workshop"] * 3
    log_lines.clear()

    with frozen_clock(NOW + 5):
        keeper.trigger(decision)
    (fact,) = keeper.published()
    keeper.trigger(decision)
    (again,) = keeper.published()

    assert fact == again == unremembered
    (own,) = (one for one in keeper.events(thing_of(name)) if one.source == "keeper")
    assert own.event.to_wire() == {member: value for member, value in fact.items() if member != "raw"}
    assert own.sort == sort_of(own.event.timestamp_ms, own.event.id)
    assert (own.arrived_ms, own.ttl, own.expire) == (NOW + 5, ttl_at(NOW, TTL_DAYS), None)
    assert [line.get("remembered.applied") for line in log_lines] == [1, None]
    assert [line.get("remembered.duplicate") for line in log_lines] == [None, 1]


def test_a_rule_may_be_on_an_own_fact_that_is_remembered(keeper: Keeper, name: str) -> None:
    def told_broken(history: History) -> Iterable[Decision]:
        yield decide("forgotten", thing_of(name), "because", history.anchor)

    chained = FORGOTTEN._replace(
        id="chained",
        on=frozenset({("keeper", "thing-broken")}),
        key=lambda event: event.partition_key,
        timing=AtOnce(),
        expression=told_broken,
    )
    keeper.trigger(decided(keeper, name), control_of(chained))

    assert ("thing-forgotten", "decision#forgotten#because") in told(keeper.react(control_of(chained)))


def decided(keeper: Keeper, name: str) -> list[dict[str, Any]]:
    """Let a thing be broken; give the record of that decision."""
    keeper.listen(*(knocked(name, at=NOW - number) for number in range(3)))
    at_once = BROKEN._replace(timing=AtOnce())
    keeper.trigger(keeper.new_records(VARIABLE), control_of(at_once))
    records = keeper.new_records(VARIABLE)
    keeper.published()
    return records


@pytest.mark.parametrize(("behind_ms", "late"), [(HOLD_BACK_MS, {}), (HOLD_BACK_MS + 1, {"late": 1, "late.broken": 1})])
def test_an_event_that_came_too_late_for_a_rule_is_counted_by_that_rule(
    keeper: Keeper, name: str, log_lines: LogLines, *, behind_ms: int, late: dict[str, int]
) -> None:
    keeper.listen(knocked(name))
    with frozen_clock(NOW + behind_ms):
        keeper.react(control_of(LABEL, BROKEN))
        keeper.listen(knocked(name, at=NOW - 1))
        records = keeper.new_records(VARIABLE)
        log_lines.clear()
        keeper.trigger(records, control_of(LABEL, BROKEN))

    assert {key: value for key, value in log_lines[0].items() if key.startswith("late")} == late


def test_a_line_is_logged_of_all_that_a_batch_came_to(keeper: Keeper, name: str, log_lines: LogLines) -> None:
    keeper.give(name, "a secret owner")
    arrivals = arrival(keeper, knocked(name, at=NOW - 1), knocked(name))
    log_lines.clear()

    keeper.trigger(arrivals)
    (line,) = log_lines
    keeper.trigger(keeper.new_records(VARIABLE))
    (_, second) = log_lines
    keeper.trigger(arrivals)
    again = log_lines[-1]

    assert _counts(line) == {
        "records": 2,
        "published": 0,
        "fault": 0,
        "arrived": 2,
        "decided": 2,
        "stands": 1,  # the second arrival looks back at the first
        "nothing": 0,
        "scheduled": 4,
        "correlated.applied": 4,
    }
    assert line["ids"] == []
    # The copies, the decisions, and what is due.
    assert (second["records"], second["arrived"], second["published"]) == (10, 4, 2)
    assert len(second["ids"]) == 2
    assert (again["decided"], again["stands"], again["correlated.duplicate"]) == (0, 3, 4)
    assert "correlated.applied" not in again
    assert "secret" not in json.dumps(log_lines)
    assert "_aws" not in line


NO_COUNTS = {"level", "stage", "message", "timestamp", "service", "function_request_id", "ids", "_aws"}


def _counts(line: dict[str, Any]) -> dict[str, int]:
    return {name: value for name, value in line.items() if name not in NO_COUNTS}


@pytest.mark.parametrize("part", ["when", "key"])
def test_an_event_that_no_rule_can_be_asked_about_is_a_fault_and_harms_no_other(
    keeper: Keeper, name: str, part: str
) -> None:
    def culprit(event: DomainEvent) -> Any:  # noqa: ANN401
        return {"when": True, "key": thing_of(name)}[part] if event.id == "good" else event.entities["nothing"]

    keeper.give(name, "Liz")
    records = arrival(keeper, knocked(name, at=NOW - 1, id="bad"), knocked(name, id="good"))

    keeper.trigger(records, control_of(LABEL._replace(**{part: culprit})))  # type: ignore[arg-type]

    (fault,) = keeper.published()
    assert fault["fault"]["error"]["name"] == "KeyError"
    assert '"bad"' in fault["fault"]["message"]
    assert f"label#{NOW}" in keeper.decisions(thing_of(name))


def test_a_row_that_is_no_event_is_a_fault_and_its_neighbours_are_decided_upon(keeper: Keeper, name: str) -> None:
    keeper.give(name, "Liz")
    (record,) = arrival(keeper, knocked(name))
    for lost in ("event", "arrived", "source", "ttl"):
        other = deepcopy(record)
        other["dynamodb"]["NewImage"].pop(lost)

        keeper.trigger([other, record], control_of(LABEL))

        assert [fault["type"] for fault in keeper.published() if fault["type"] == "fault"] == ["fault"], lost
    assert keeper.decisions(thing_of(name)) == [f"label#{NOW}"]


def test_an_event_whose_key_is_too_long_to_be_due_is_a_fault_and_harms_no_other(keeper: Keeper, name: str) -> None:
    long = f"{'🏭' * 150}{name}"[:256]  # four bytes each: a key is measured in bytes, an event's names in characters
    keeper.give(name, "Liz")
    records = arrival(keeper, knocked(long, hand="y" * 600), knocked(name))
    assert len(records) == 2

    keeper.trigger(records, control_of(LABEL, BROKEN))

    assert keeper.decisions(thing_of(name)) == [f"label#{NOW}"]
    assert [event["type"] for event in keeper.published()] == ["fault"]


def test_an_own_fact_that_cannot_be_remembered_is_published_and_is_a_fault(keeper: Keeper, name: str) -> None:
    def nowhere(event: DomainEvent) -> str:
        raise KeyError(event.type)

    keeper.trigger(decided(keeper, name), CONTROL._replace(remembers={"thing-broken": nowhere}))

    told_, fault = sorted(keeper.published(), key=lambda event: event["type"] == "fault")
    assert told_["type"] == "thing-broken"
    assert fault["fault"]["consumer"] == "keeper.trigger"
    assert [one.source for one in keeper.events(thing_of(name))] == ["workshop"] * 3
