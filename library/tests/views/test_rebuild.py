"""A view that is rebuilt from the lake equals the view that lived through its events, in whatever order they come."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.ttl import is_alive, ttl_at
from andon.events.bus_entry import Replay, to_replayed
from andon.events.domain_event import DomainEvent
from andon.handlers.declared_listener import listener_of
from andon.packages.discovery import services, views
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import logged
from andon.testing.memory.aws import OneTable
from andon.views.materialize import Listener, materialize
from andon.views.row_life import REBUILT, RebuiltUntilAnchored
from toys.clock import NOW
from toys.things import ANCHORED, KEYS, LABELLED, TTL_DAYS, TTL_MS, VARIABLE, VIEW, World, happened, message

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
JOB: Final = Replay("job-1")
BEGUN: Final = NOW - 12 * HOUR_MS
"""When the rebuilt view was deployed: what happened since then also comes to it live."""

MOST: Final = 12
"""Events of a story, all things together."""

Story = Sequence[DomainEvent]


@pytest.fixture(name="memory", scope="module")
def memory_of_module() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as memory:
        yield memory


@pytest.fixture(autouse=True)
def empty(request: pytest.FixtureRequest) -> None:
    if "memory" in request.fixturenames:
        request.getfixturevalue("memory").clear()


def delivered(view: Listener, bodies: Sequence[str], *, at_ms: int) -> dict[str, Any]:
    """Deliver one batch at a time of day; return the counts of its log line."""
    with frozen_clock(at_ms), logged() as lines:
        assert materialize(sqs_event(bodies), LocalContext("things"), listener=view) == {"batchItemFailures": []}
    return lines[-1]


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  no secret


def replayed(event: DomainEvent) -> str:
    return to_replayed(json.loads(message(event)), JOB)


def alive(memory: OneTable) -> list[dict[str, Any]]:
    return [row for row in memory.rows() if is_alive(row, NOW)]


def lived(memory: OneTable, view: Listener, story: Story, *, reaps: bool = False) -> list[dict[str, Any]]:
    """Return the rows of a view to which every event came when it happened."""
    memory.clear()
    for event in sorted(story, key=lambda event: (event.timestamp_ms, event.id)):
        if reaps:
            memory.reap(event.timestamp_ms)
        delivered(view, [message(event)], at_ms=event.timestamp_ms)
    return alive(memory)


def rebuilt(
    memory: OneTable, view: Listener, story: Story, dice: random.Random, *, marked: bool = True
) -> list[dict[str, Any]]:
    """Return the rows of a view that got the lake's events in a random order, and live what happened since `BEGUN`."""
    memory.clear()
    now_ms, batch = BEGUN, list[str]()
    for event, is_live in timeline(story, dice):
        body = replayed(event) if marked and not is_live else message(event)
        if is_live or dice.random() < 0.5:
            delivered(view, batch, at_ms=now_ms)
            batch = []
        if is_live:
            now_ms = max(now_ms, event.timestamp_ms)
        batch.append(body)
    delivered(view, batch, at_ms=NOW)
    rows = alive(memory)
    assert not [row for row in rows if REBUILT in row], "the mark of what had expired is gone"
    return rows


def timeline(story: Story, dice: random.Random) -> list[tuple[DomainEvent, bool]]:
    """Return in which order events come, and which are live; the lake has each twice, after it happened."""
    live = sorted((one for one in story if one.timestamp_ms >= BEGUN), key=lambda one: (one.timestamp_ms, one.id))
    order = [(event, True) for event in live]
    for event in [*story, *story]:
        earliest = order.index((event, True)) + 1 if (event, True) in order else 0
        order.insert(dice.randint(earliest, len(order)), (event, False))
    return order


FIELDS: Final[Mapping[str, Mapping[str, Sequence[object]]]] = {
    "painted": {"colour": ["red", "blue", None]},
    "weighed": {"grams": [1, 2, 3]},
    "labelled": {"label": ["first", "x", "y", "z"]},
}


@st.composite
def stories(draw: st.DrawFn, kinds: Sequence[str]) -> Story:
    """Draw what happened to three things; to each something within every `TTL_DAYS`, so that none was forgotten."""
    story = list[DomainEvent]()
    for name in ("lathe", "press", "drill"):
        at_ms = NOW - draw(st.integers(0, 4 * TTL_DAYS * 24)) * HOUR_MS
        while at_ms <= NOW and len(story) < MOST:
            kind = draw(st.sampled_from(kinds))
            fields = {field: draw(st.sampled_from(values)) for field, values in FIELDS[kind].items()}
            story.append(happened(kind, name, at=at_ms, id=f"e{len(story)}", **fields))
            at_ms += draw(st.integers(0, TTL_DAYS * 24 - 1)) * HOUR_MS
    return story


VIEWS: Final = {
    "joined": (VIEW, ["painted", "weighed"]),
    "family": (LABELLED, ["painted", "weighed", "labelled"]),
    "anchored": (ANCHORED, ["painted", "weighed"]),
}


@pytest.mark.parametrize("name", VIEWS)
@given(data=st.data(), seed=st.integers(), reaps=st.booleans())
def test_a_rebuild_in_any_order_beside_live_events_equals_the_view_that_lived_through_them(
    memory: OneTable, name: str, data: st.DataObject, seed: int, *, reaps: bool
) -> None:
    view, kinds = VIEWS[name]
    story = data.draw(stories(kinds))

    assert rebuilt(memory, view, story, chance(seed)) == lived(memory, view, story, reaps=reaps)


OLD_WEIGHT = happened("weighed", "lathe", at=NOW - TTL_MS - DAY_MS, id="w0", grams=1)
PAINT = happened("painted", "lathe", at=NOW - 5 * DAY_MS, id="p1", colour="blue")
KEPT_ALIVE: Story = (OLD_WEIGHT, PAINT)


@pytest.mark.parametrize("seed", range(8))
def test_messages_without_the_mark_lose_what_a_later_fact_kept_alive(memory: OneTable, seed: int) -> None:
    with_it, without = (rebuilt(memory, VIEW, KEPT_ALIVE, chance(seed), marked=marked) for marked in (True, False))

    assert with_it == lived(memory, VIEW, KEPT_ALIVE)
    assert [row.get("grams") for row in with_it] == [1]
    assert [row.get("grams") for row in without] == [None], "an event that has expired on arrival is dropped"


def test_a_row_that_has_expired_since_is_there_until_it_is_reaped_and_nobody_sees_it(memory: OneTable) -> None:
    line = delivered(VIEW, [replayed(OLD_WEIGHT)], at_ms=NOW)

    [row] = memory.rows()
    assert (row["ttl"], row[REBUILT]) == (ttl_at(OLD_WEIGHT.timestamp_ms, TTL_DAYS), True)
    assert alive(memory) == []
    assert (line["applied"], line["replayed"], "lag" in line) == (1, 1, False)


@pytest.mark.parametrize("view", [VIEW, ANCHORED], ids=["joined", "anchored"])
@pytest.mark.parametrize("is_rebuilt", [True, False], ids=["of a rebuild", "of a view that lived"])
def test_a_live_fact_joins_a_row_of_a_rebuild_that_has_expired_and_replaces_any_other(
    memory: OneTable, view: Listener, *, is_rebuilt: bool
) -> None:
    if is_rebuilt:
        delivered(view, [replayed(OLD_WEIGHT)], at_ms=NOW)
    else:
        delivered(view, [message(OLD_WEIGHT)], at_ms=OLD_WEIGHT.timestamp_ms)

    delivered(view, [message(happened("painted", "lathe", at=NOW, id="p2", colour="red"))], at_ms=NOW)

    [row] = memory.rows()
    assert (row.get("grams"), REBUILT in row) == (1 if is_rebuilt else None, False)


def test_a_live_fact_joins_an_unregistered_row_of_a_rebuild_for_as_long_as_such_a_row_is_kept(memory: OneTable) -> None:
    delivered(ANCHORED, [replayed(OLD_WEIGHT)], at_ms=NOW)

    delivered(ANCHORED, [message(happened("weighed", "lathe", at=NOW, id="w1", grams=2))], at_ms=NOW)

    [row] = memory.rows()
    assert (row["grams"], row["ttl"], REBUILT in row) == (2, ttl_at(NOW, TTL_DAYS), False)


def test_what_a_row_had_forgotten_is_there_again(memory: OneTable) -> None:
    """In any order nobody can know that nothing lies between two facts; so a gap as long as a row's life joins them."""
    story = (happened("weighed", "lathe", at=NOW - 2 * TTL_MS, id="w0", grams=1), PAINT)

    assert [row.get("grams") for row in lived(memory, VIEW, story)] == [None]
    assert [row.get("grams") for row in rebuilt(memory, VIEW, story, chance(1))] == [1]


def test_a_row_without_its_anchor_keeps_the_later_end() -> None:
    life = RebuiltUntilAnchored("name", anchors=False, expires_at=10, now=5)

    assert [life.after({"ttl": found}).expires_at for found in (9, 10, 11)] == [10, 10, None]


def test_views_alone_take_part_in_a_rebuild() -> None:
    for package in views():
        assert listener_of(package.folder).is_rebuilt, package.name
    for package in services():
        if package.plays("listener"):
            assert not listener_of(package.folder).is_rebuilt, package.name


def test_who_decides_upon_events_takes_no_replayed_one(world: World) -> None:
    deciding = VIEW._replace(is_rebuilt=False)

    assert delivered(deciding, [replayed(PAINT)], at_ms=NOW)["fault"] == 1
    assert world.new_messages() == []
    assert world.thing("lathe") is None
