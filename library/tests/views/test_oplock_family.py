"""Names that somebody else makes up take up no more than their share of a row, on moto."""

import pytest

from andon.dynamodb.expressions import Condition
from andon.events.domain_event import DomainEvent
from andon.testing.wire import Wire
from andon.views import oplocked_fields
from andon.views.inverse_oplock import event_order, oplock_attribute
from andon.views.outcome import Outcome
from toys.clock import NOW
from toys.things import LABEL, LABELLED_ON, TABLE, TTL_DAYS, World, happened


def label(name: str, text: str, at: int) -> DomainEvent:
    return happened("labelled", name, at=NOW - 1000 + at, id=f"{text}{at}", label=text)


def apply(event: DomainEvent) -> Outcome:
    update = LABELLED_ON["workshop", event.type](event)
    return update.write(TABLE, event, ttl_days=TTL_DAYS, now_ms=NOW)


def labels(world: World, name: str) -> set[str]:
    """Return the labels of a thing, each of which has its oplock."""
    row = world.thing(name) or {}
    found = {attribute for attribute in row if attribute.startswith(LABEL)}
    assert {attribute for attribute in row if attribute.startswith(f"oplock#{LABEL}")} == set(
        map(oplock_attribute, found)
    )
    return {attribute.removeprefix(LABEL) for attribute in found}


def test_however_many_names_there_are_only_the_newest_are_kept(world: World, name: str) -> None:
    for number in range(20):
        assert apply(label(name, f"label {number}", number)) == Outcome.APPLIED

    assert labels(world, name) == {"label 18", "label 19"}


def test_what_is_always_kept_counts_for_nothing_and_stays(world: World, name: str) -> None:
    for number, text in enumerate(["first", "a", "b", "c"]):
        apply(label(name, text, number))

    assert labels(world, name) == {"first", "b", "c"}


def test_what_is_older_than_all_that_are_kept_is_stale_however_often_it_comes(world: World, name: str) -> None:
    apply(label(name, "b", 2))
    apply(label(name, "c", 3))

    assert [apply(label(name, "a", 1)) for _ in range(2)] == [Outcome.STALE] * 2
    assert labels(world, name) == {"b", "c"}


def test_an_event_costs_one_request_as_long_as_there_is_room_and_one_more_beyond(
    world: World, name: str, wire: Wire
) -> None:
    assert world.thing(name) is None
    requests = []
    for number, text in enumerate(["first", "a", "b", "a", "c", "c"]):
        wire.requests.clear()
        apply(label(name, text, number))
        requests.append(len(wire.requests))

    assert requests == [1, 1, 1, 1, 2, 1]


@pytest.fixture
def crashed(world: World, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many labels, for whoever wrote the last ones died before the surplus was removed."""
    with monkeypatch.context() as patch:
        patch.setattr(oplocked_fields, "ATTEMPTS", 0)
        for number, text in enumerate("abcd"):
            apply(label(name, text, number))
    assert labels(world, name) == {"a", "b", "c", "d"}


@pytest.mark.usefixtures("crashed")
@pytest.mark.parametrize(("text", "at", "left"), [("d", 3, "cd"), ("a", 0, "cd"), ("b", 0, "cd"), ("e", 9, "de")])
def test_the_next_event_of_any_kind_makes_up_for_a_crash(
    world: World, name: str, text: str, at: int, left: str
) -> None:
    apply(label(name, text, at))

    assert labels(world, name) == set(left)


@pytest.mark.usefixtures("crashed")
def test_a_name_that_is_used_again_meanwhile_is_not_removed(world: World, name: str, wire: Wire) -> None:
    again = label(name, "a", 8)
    assign = {f"{LABEL}a": 8, oplock_attribute(f"{LABEL}a"): event_order(again)}
    unconditional = Condition("attribute_not_exists(#no)", {"no": "no such attribute"})
    numbers = iter(range(100))

    def use_again() -> None:
        if next(numbers) == 1:  # between the write and the removal
            TABLE.update({"pk": name, "sk": "-"}, assign=assign, condition=unconditional)

    wire.before("UpdateItem", use_again, times=100)

    apply(label(name, "e", 9))

    assert labels(world, name) == {"a", "e"}


def test_a_row_ruined_before_there_was_a_bound_is_healed_fifty_names_at_a_time(world: World, name: str) -> None:
    events = [label(name, f"label {number}", number) for number in range(120)]
    everything = {
        attribute: value
        for event in events
        for attribute, value in [
            (f"{LABEL}{event.entity('thing').text('label')}", 1),
            (oplock_attribute(f"{LABEL}{event.entity('thing').text('label')}"), event_order(event)),
        ]
    }
    TABLE.put({"pk": name, "sk": "-", **everything}, condition=TABLE.absent)

    counts = []
    for _ in range(4):
        apply(events[-1])
        counts.append(len(labels(world, name)))

    assert counts == [70, 20, 2, 2]
    assert labels(world, name) == {"label 118", "label 119"}
