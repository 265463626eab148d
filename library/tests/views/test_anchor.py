"""A row of slow data that never gets its anchor does not stay for ever, on moto."""

from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.testing.wire import Wire
from andon.views.outcome import Outcome
from toys.clock import NOW
from toys.things import ANCHORED_ON, TABLE, TTL_DAYS, TTL_MS, World, happened

DAY_MS = 86_400_000
END = ttl_at(NOW, TTL_DAYS)


def apply(event: DomainEvent, *, now_ms: int = NOW) -> Outcome:
    update = ANCHORED_ON["workshop", event.type](event)
    return update.write(TABLE, event, ttl_days=None, now_ms=now_ms)


def weighed(name: str, id: str = "w1", at: int = NOW, grams: int = 7) -> DomainEvent:  # noqa: A002
    return happened("weighed", name, at=at, id=id, grams=grams)


def painted(name: str, id: str = "p1", at: int = NOW) -> DomainEvent:  # noqa: A002
    return happened("painted", name, at=at, id=id, colour="red")


def row_of(world: World, name: str) -> dict[str, object]:
    row = world.thing(name)
    assert row is not None
    return row


def test_without_its_anchor_a_row_expires_so_long_after_its_last_write(world: World, name: str) -> None:
    apply(weighed(name))
    assert row_of(world, name)["ttl"] == END

    apply(weighed(name, "w2", NOW + 1), now_ms=NOW + DAY_MS)
    assert row_of(world, name)["ttl"] == END + 86_400


def test_with_its_anchor_a_row_never_expires_whichever_came_first(world: World, name: str) -> None:
    for number, events in enumerate([(weighed, painted), (painted, weighed)]):
        for event in events:
            assert apply(event(f"{name} {number}")) == Outcome.APPLIED

        row = row_of(world, f"{name} {number}")
        assert "ttl" not in row
        assert (row["colour"], row["grams"]) == ("red", 7)


def test_what_is_older_than_a_row_without_an_anchor_may_live_is_kept_nevertheless(world: World, name: str) -> None:
    assert apply(weighed(name, at=NOW - 40 * TTL_MS)) == Outcome.APPLIED

    assert row_of(world, name)["ttl"] == END


def test_an_anchor_brings_nothing_back_that_has_expired(world: World, name: str) -> None:
    apply(weighed(name))

    assert apply(painted(name, at=NOW - DAY_MS), now_ms=NOW + TTL_MS) == Outcome.APPLIED

    row = row_of(world, name)
    assert not row.keys() & {"ttl", "grams", "oplock#weight"}


def test_what_comes_after_a_row_without_an_anchor_expired_begins_another(world: World, name: str) -> None:
    apply(weighed(name, at=NOW))

    assert apply(weighed(name, "w0", NOW - DAY_MS, grams=6), now_ms=NOW + TTL_MS) == Outcome.APPLIED

    row = row_of(world, name)
    assert (row["grams"], row["ttl"]) == (6, END + TTL_DAYS * 86_400)


def test_an_anchor_that_comes_between_attempts_takes_the_ttl_away(world: World, name: str, wire: Wire) -> None:
    numbers = iter(range(100))
    wire.before("UpdateItem", lambda: apply(painted(name)) if next(numbers) == 1 else None, times=100)

    assert apply(weighed(name)) == Outcome.APPLIED

    row = row_of(world, name)
    assert "ttl" not in row
    assert (row["colour"], row["grams"]) == ("red", 7)


def test_an_event_costs_one_request_with_an_anchor_and_two_without(world: World, name: str, wire: Wire) -> None:
    assert world.thing(name) is None
    events = [weighed(name), painted(name), weighed(name, "w2", NOW + 1), weighed(name), painted(name)]

    requests = []
    for event in events:
        wire.requests.clear()
        apply(event)
        requests.append(len(wire.requests))

    assert requests == [2, 1, 1, 1, 1]
