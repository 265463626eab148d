"""A row that expired comes back from replayed events: the same row, whatever happens in which order."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import pytest

from andon.dynamodb.ttl import ttl_at
from andon.events.bus_entry import Replay, to_replayed
from andon.events.domain_event import DomainEvent
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import logged
from andon.testing.memory.aws import OneTable
from andon.testing.orders import OrderedStep, ends_of_every_order
from andon.testing.wire import Wire
from andon.views.inverse_oplock import ATTEMPTS, RowContended, rehydrate
from andon.views.materialize import materialize
from andon.views.outcome import Outcome
from toys.clock import NOW
from toys.things import KEYS, ON, TABLE, TTL_DAYS, TTL_MS, VARIABLE, VIEW, World, happened, message

DAY_MS = 86_400_000
UNTIL = ttl_at(NOW, TTL_DAYS)
JOB = Replay("job-1", UNTIL)
RESTORING = VIEW._replace(restores=ON)
KEY = {"pk": "lathe", "sk": "-"}


@pytest.fixture(name="memory", scope="module")
def memory_of_module() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as memory, frozen_clock(NOW):
        yield memory


OLD_PAINT = happened("painted", "lathe", at=NOW - TTL_MS - DAY_MS, id="p0", colour="red")
OLDER_WEIGHT = happened("weighed", "lathe", at=NOW - TTL_MS - 2 * DAY_MS, id="w0", grams=1)
NEW_PAINT = happened("painted", "lathe", at=NOW - 5 * DAY_MS, id="p1", colour="blue")
NEW_WEIGHT = happened("weighed", "lathe", at=NOW - 5 * DAY_MS, id="w1", grams=2)


def live(*events: DomainEvent) -> list[str]:
    return [message(event) for event in events]


def replayed(*events: DomainEvent, replay: Replay = JOB) -> list[str]:
    return [to_replayed(json.loads(message(event)), replay) for event in events]


def deliver(*bodies: str) -> dict[str, Any]:
    with logged() as lines:
        answer = materialize(sqs_event(bodies), LocalContext("things-listener"), listener=RESTORING)
    assert answer == {"batchItemFailures": []}
    return lines[-1]


def found() -> dict[str, Any] | None:
    """Return the row; one that has expired is none."""
    row = TABLE.get(KEY, consistent=True)
    return row if row and row["ttl"] > NOW // 1000 else None


def steps_of(*events: DomainEvent, old: DomainEvent, memory: OneTable) -> list[OrderedStep]:
    replay, reap = (
        OrderedStep("replayed", lambda: deliver(*replayed(old))),
        OrderedStep("reap", lambda: memory.reap(NOW)),
    )
    duplicate = OrderedStep("duplicate of the old", lambda: deliver(*live(old)))
    newer = [OrderedStep(f"{event.id} live", partial(deliver, *live(event))) for event in events]
    return [replay, replay, duplicate, reap, *newer, *newer]


SCENARIOS = {
    "nothing newer": (OLD_PAINT, ()),
    "the same fields, newer": (OLD_PAINT, (NEW_PAINT,)),
    "other fields, newer": (OLD_PAINT, (NEW_WEIGHT,)),
    "not expired yet": (NEW_PAINT, (NEW_WEIGHT,)),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("is_reaped", [False, True], ids=["not yet reaped", "reaped"])
def test_every_order_of_what_comes_ends_in_the_same_row(memory: OneTable, scenario: str, *, is_reaped: bool) -> None:
    old, newer = SCENARIOS[scenario]

    def begin() -> None:
        memory.partitions = {}
        if not is_reaped:
            _expired_row(old)

    steps = steps_of(*newer, old=old, memory=memory)
    ends = ends_of_every_order(steps, begin=begin, end=lambda: json.dumps(found(), sort_keys=True))

    assert len(ends) == 1, ends
    row = json.loads(next(iter(ends)))
    assert row["ttl"] == UNTIL
    assert row["colour"] == ("blue" if NEW_PAINT in (old, *newer) else "red")
    assert row.get("grams") == (2 if NEW_WEIGHT in newer else None), "what expired and was not asked for stays away"


def _expired_row(old: DomainEvent) -> None:
    """Write what happened long ago, then."""
    with frozen_clock(OLD_PAINT.timestamp_ms):
        deliver(*live(OLDER_WEIGHT, *((old,) if old is OLD_PAINT else ())))


def test_all_of_a_row_comes_back_from_all_of_its_events_in_any_order(memory: OneTable) -> None:
    for order in permutations([OLD_PAINT, OLDER_WEIGHT]):
        memory.partitions = {}
        _expired_row(OLD_PAINT)
        for event in order:
            deliver(*replayed(event))
        row = found()
        assert row
        assert (row["colour"], row["grams"]) == ("red", 1)


@pytest.mark.parametrize("first", [0, 1])
def test_a_replayed_message_is_never_compacted_with_a_live_one(memory: OneTable, first: int) -> None:
    memory.partitions = {}
    bodies = [*replayed(OLD_PAINT), *live(NEW_PAINT)]

    line = deliver(*(bodies[::-1] if first else bodies))

    row = found()
    assert row
    assert (row["colour"], row["ttl"]) == ("blue", UNTIL)
    assert line["compacted"] == 0
    assert len(line["lag"]) == 1


def test_replayed_messages_of_one_replay_are_compacted(memory: OneTable) -> None:
    memory.partitions = {}
    older = happened("painted", "lathe", at=OLD_PAINT.timestamp_ms - 1, id="p", colour="green")

    assert deliver(*replayed(older, OLD_PAINT))["compacted"] == 1
    assert found() == {**TABLE.get(KEY), "colour": "red"}  # type: ignore[dict-item]


def test_of_two_replays_the_later_end_counts(memory: OneTable) -> None:
    for order in permutations([JOB, Replay("job-2", UNTIL + 99)]):
        memory.partitions = {}
        for replay in order:
            deliver(*replayed(OLD_PAINT, replay=replay))
        row = found()
        assert row
        assert row["ttl"] == UNTIL + 99


def test_what_comes_after_its_own_end_stays_away(memory: OneTable) -> None:
    memory.partitions = {}

    assert deliver(*replayed(OLD_PAINT, replay=Replay("job", NOW // 1000)))["expired"] == 1
    assert found() is None


def test_poison_that_is_replayed_is_counted_and_not_published_again(world: World) -> None:
    poisonous = [
        *replayed(happened("painted", "")),
        *replayed(happened("burnt", "lathe")),
        json.dumps({"lake": True}),
        json.dumps({**json.loads(replayed(OLD_PAINT)[0]), "until": "tomorrow"}),
    ]

    assert deliver(*poisonous)["fault"] == len(poisonous)
    assert world.new_messages() == []


def test_what_is_replayed_and_refused_is_not_published_again(world: World, wire: Wire) -> None:
    wire.fail("UpdateItem", "ValidationException")

    assert deliver(*replayed(OLD_PAINT))["fault"] == 1
    assert deliver(*live(NEW_PAINT))["fault"] == 1
    assert len(world.new_messages()) == 1


def test_an_archive_of_the_bus_replays_live_messages(memory: OneTable) -> None:
    memory.partitions = {}
    body = json.dumps({**json.loads(message(NEW_PAINT)), "replay-name": "of EventBridge"})

    assert len(deliver(body)["lag"]) == 1


def test_a_row_that_keeps_changing_is_tried_again_later(memory: OneTable, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.partitions = {}
    deliver(*live(NEW_PAINT))
    update = ON["workshop", "thing-painted"](OLD_PAINT)
    attempts = []

    def changed(*_: object) -> None:
        attempts.append(1)

    monkeypatch.setattr("andon.views.inverse_oplock._outlive", changed)
    with pytest.raises(RowContended):
        rehydrate(TABLE, update, OLD_PAINT, until=UNTIL, now_ms=NOW)
    assert len(attempts) == ATTEMPTS


def test_a_replay_is_stale_where_a_newer_row_lives_longer(memory: OneTable) -> None:
    memory.partitions = {}
    deliver(*live(happened("painted", "lathe", at=NOW + 1000, id="p2", colour="blue")))
    update = ON["workshop", "thing-painted"](OLD_PAINT)

    assert rehydrate(TABLE, update, OLD_PAINT, until=UNTIL, now_ms=NOW) is Outcome.STALE
