"""A row that crossed from another version of the service is remembered as decided here, and not published."""

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.latch import LATCHED, ORIGIN
from andon.testing.log_lines import LogLines
from toys.clock import NOW
from toys.toy_control import TABLE, Keeper, decide, knocked, thing_of


def put(name: str, **mark: object) -> None:
    """Write that a thing is broken, as a rule of the service itself does."""
    decision = decide("broken", thing_of(name), "1", knocked(name))
    says = {**decision.key, **decision.row, "by": "rule", "rule": "broken", "triggers": []}
    TABLE.put({**says, **mark}, condition=UNCONDITIONAL)


def remembered(keeper: Keeper, name: str) -> list[tuple[str, str, int]]:
    """Return the keeper's events of a thing: source, type and time."""
    events = keeper.events(thing_of(name))
    return [(stored.source, stored.event.type, stored.event.timestamp_ms) for stored in events]


def test_an_edit_that_crossed_is_remembered_once_and_published_by_nobody(keeper: Keeper, name: str) -> None:
    put(name, **{LATCHED: True, ORIGIN: "keeper2"})
    records = keeper.new_records(TABLE.variable)

    keeper.trigger(records)
    keeper.trigger(records)

    assert keeper.published() == []
    assert remembered(keeper, name) == [("keeper", "thing-broken", NOW)]


def test_a_row_of_which_only_a_text_was_erased_is_no_edit(keeper: Keeper, name: str) -> None:
    put(name, **{LATCHED: True, ORIGIN: "keeper2"}, version=1)
    keeper.react()

    put(name, **{LATCHED: True, ORIGIN: "keeper2"}, version=1, note="op-17 did it")

    assert keeper.react() == []
    assert remembered(keeper, name) == [("keeper", "thing-broken", NOW)]


def test_what_came_back_from_the_archive_is_not_remembered(keeper: Keeper, name: str) -> None:
    put(name, **{LATCHED: True})

    assert keeper.react() == []
    assert remembered(keeper, name) == []


def test_what_was_decided_here_is_remembered_once(keeper: Keeper, name: str) -> None:
    put(name)

    assert [event["type"] for event in keeper.react()] == ["thing-broken"]
    assert remembered(keeper, name) == [("keeper", "thing-broken", NOW)]


def test_what_crossed_and_says_nothing_to_others_is_a_fault(keeper: Keeper, name: str, log_lines: LogLines) -> None:
    decision = decide("broken", thing_of(name), "1", knocked(name))
    row = {**decision.key, "discriminator": "broken", LATCHED: True, ORIGIN: "keeper2"}
    TABLE.put(row, condition=UNCONDITIONAL)

    assert [event["type"] for event in keeper.react()] == ["fault"]
    assert log_lines[0]["published"] == 0
