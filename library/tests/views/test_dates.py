"""Rows that live until a date of their domain: the newest date counts in every order, whatever DynamoDB has taken."""

import random
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.drift.compare import LATEST_DAYS, Basis, DriftKind, RowDrift, compare
from andon.drift.expected import ExpectedRow, expected_rows
from andon.drift.recompute import recompute, repair
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.events.received import Received
from andon.events.upcast import NONE
from andon.events.written import Written
from andon.handlers.declared_listener import listener_of
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Poison
from andon.testing.convergence import Diverged, Story, converges, mistaken_dates
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.memory.aws import OneTable
from andon.views import inverse_oplock
from andon.views.compaction import Message, compact
from andon.views.materialize import Listener
from andon.views.outcome import Outcome
from andon.views.seen import Writes
from andon.views.view_update import On, ViewUpdate
from toys.clock import NOW
from toys.things import KEYS, TABLE, TTL_DAYS, VARIABLE, happened, message, on_painted

NOW_SECONDS: Final = NOW // 1000
DAY: Final = ttl.SECONDS_PER_DAY
WITHIN_DAYS: Final = 100


def on_lent(event: DomainEvent) -> ViewUpdate:
    """Keep who has it, until a date."""
    thing = event.entity("thing")
    name, until = thing.text("name"), thing.get("until")
    return ViewUpdate(
        key={"pk": name, "sk": "-"},
        key_fields={"Name": name},
        fields={"by": thing.get("by")},
        oplock="loan",
        expires_at=until if isinstance(until, int) else 0,
    )


ON: Final[On] = {("workshop", "thing-lent"): on_lent, ("workshop", "thing-painted"): on_painted}
LOANS: Final = Listener("things", TABLE, on=ON, ttl_days=TTL_DAYS, expires_within_days=WITHIN_DAYS)


def lent(until: float, id: str = "l1", *, at: int = NOW, by: str = "Liz", name: str = "saw") -> DomainEvent:  # noqa: A002
    """The event that somebody has a thing until so many days after `NOW`."""
    return happened("lent", name, at=at, id=id, by=by, until=NOW_SECONDS + int(until * DAY))


def painted(id: str = "p1", *, at: int = NOW, name: str = "saw") -> DomainEvent:  # noqa: A002
    return happened("painted", name, at=at, id=id, colour="red")


def apply(event: DomainEvent, *, now_ms: int = NOW, replay: Replay | None = None) -> Outcome:
    update = ON["workshop", event.type](event)
    return update.write(TABLE, event, ttl_days=TTL_DAYS, now_ms=now_ms, replay=replay)


@pytest.fixture(name="memory")
def memory_of_test() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as memory:
        yield memory


def row_of(memory: OneTable) -> Item:
    (row,) = memory.rows()
    return row


STORIES: Final[dict[str, Story]] = {
    "a later date": [lent(30), lent(60, "l2", at=NOW + 1, by="Bob"), painted(at=NOW + 2)],
    "an earlier date": [lent(60), lent(30, "l2", at=NOW + 1, by="Bob"), painted(at=NOW + 2)],
    "a date that has passed": [lent(60), lent(-1, "l2", at=NOW + 1), painted(at=NOW + 2)],
    "over, and again": [lent(30), lent(-1, "l2", at=NOW + 1), lent(40, "l3", at=NOW + 2), painted(at=NOW + 3)],
    "shorter than its events": [lent(2), lent(1, "l2", at=NOW + 1), painted(at=NOW + DAY_MS)],
    "on both sides of its events": [lent(2), lent(20, "l2", at=NOW + 1), lent(5, "l3", at=NOW + 2), painted()],
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_the_newest_date_counts_in_every_order_with_duplicates_batches_and_what_was_taken(story: Story) -> None:
    assert converges(LOANS, story) > 2 ** len(story)


def test_a_row_is_shown_until_its_date_and_kept_as_long_as_what_may_come_late(memory: OneTable) -> None:
    apply(lent(60))
    apply(lent(3, "l2", at=NOW + 1))

    row = row_of(memory)
    assert ttl.is_alive(row, NOW + 3 * DAY_MS - 1000)
    assert not ttl.is_alive(row, NOW + 3 * DAY_MS)
    assert row[ttl.ATTRIBUTE] == NOW_SECONDS + 60 * DAY  # an earlier date takes no row whose oplock is still needed
    assert ttl.is_kept(row, NOW + 59 * DAY_MS)


def test_what_was_over_is_brought_back_by_nothing_that_is_older(memory: OneTable) -> None:
    """DynamoDB may take a row whenever its ttl has passed; before that, the row refuses what is older."""
    apply(lent(-1, "l2", at=NOW + 1))
    memory.reap(NOW + (TTL_DAYS * DAY - 1) * 1000)
    assert apply(lent(60), now_ms=NOW + (TTL_DAYS * DAY - 1) * 1000) == Outcome.STALE
    memory.clear()

    assert apply(lent(60), now_ms=NOW + TTL_DAYS * DAY_MS) == Outcome.EXPIRED
    assert memory.rows() == []


def test_updates_with_other_dates_are_not_compacted_into_one(memory: OneTable) -> None:
    events = [lent(60), lent(30, "l2", at=NOW + 1), lent(30, "l3", at=NOW + 2)]
    groups = compact(Message(Received(event.id), event, on_lent(event)) for event in events)

    assert [[message.received.message_id for message in group] for group in groups] == [["l1"], ["l3", "l2"]]
    assert memory.rows() == []


def test_a_token_of_a_write_that_ends_a_row_is_not_waited_for(memory: OneTable) -> None:
    event = lent(-1)
    apply(event)
    written = Written(
        source="workshop",
        type=event.type,
        partition_key="saw",
        timestamp_ms=NOW,
        entity_name="thing",
        names={"name": "saw"},
        event_id=event.id,
    )
    awaited = Writes(table=TABLE, on=ON, days=TTL_DAYS).awaited(written)

    assert not ttl.is_alive(row_of(memory), NOW)
    assert awaited.is_seen_by(row_of(memory), now_ms=NOW)


# --- rebuilds and restores


@given(st.randoms(use_true_random=False), st.sampled_from([*STORIES]), st.integers(-200, 0))
def test_a_rebuilt_row_is_the_one_that_lived_through_its_events(chance: random.Random, name: str, days: int) -> None:
    ago = days * DAY_MS
    story = [event._replace(timestamp_ms=event.timestamp_ms + ago) for event in STORIES[name]]
    with OneTable(VARIABLE, KEYS) as memory:
        for event in sorted(story, key=lambda one: one.timestamp_ms):
            apply(event, now_ms=event.timestamp_ms)
        lived = [row for row in memory.rows() if ttl.is_kept(row, NOW)]
        memory.clear()
        again = [*story, *story]
        chance.shuffle(again)
        for event in again:
            apply(event, replay=Replay("job"))
        rebuilt = [row for row in memory.rows() if ttl.is_kept(row, NOW)]

    assert rebuilt == lived


def test_a_row_that_comes_back_is_shown_until_it_goes_again_whatever_its_date(memory: OneTable) -> None:
    until, later = NOW_SECONDS + 7 * DAY, NOW + 200 * DAY_MS
    for events in ([lent(60), lent(30, "l2", at=NOW + 1)], [lent(30, "l2", at=NOW + 1), lent(60)]):
        memory.clear()
        for event in events:
            apply(event, now_ms=later, replay=Replay("back", until=until + 200 * DAY))

        row = row_of(memory)
        assert ttl.is_alive(row, later)
        assert row[ttl.ATTRIBUTE] == row[ttl.DATE] == until + 200 * DAY


# --- the audit


def audited(memory: OneTable, *events: DomainEvent, now_ms: int, restores: bool = False) -> RowDrift | None:
    lines = [message(event) for event in events]
    (expected,) = expected_rows(lines, on=ON, upcasters=NONE, now_ms=now_ms).values() or [ExpectedRow({})]
    row = next(iter(memory.rows()), None)
    return compare(expected, row, Basis(TTL_DAYS, now_ms, known_from_ms=0, restores=restores))


HOUR_LATER: Final = NOW + 2 * 60 * 60 * 1000


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_the_audit_finds_nothing_in_a_row_as_its_events_made_it(memory: OneTable, story: Story) -> None:
    events = [event for event in story if event.timestamp_ms < NOW + DAY_MS]
    for event in events:
        apply(event)

    for now_ms in (HOUR_LATER, NOW + 3 * DAY_MS, NOW + 25 * DAY_MS):
        assert audited(memory, *events, now_ms=now_ms) is None


@pytest.mark.parametrize(
    ("attribute", "value", "kind"),
    [
        (ttl.DATE, NOW_SECONDS - DAY, DriftKind.VALUES),
        (ttl.DATE, NOW_SECONDS + 90 * DAY, DriftKind.VALUES),
        (ttl.DATE, None, DriftKind.VALUES),
        (ttl.ATTRIBUTE, NOW_SECONDS + 29 * DAY, DriftKind.TTL),
        (ttl.ATTRIBUTE, NOW_SECONDS + 61 * DAY, DriftKind.TTL),
        (ttl.ATTRIBUTE, None, DriftKind.TTL),
    ],
)
def test_the_audit_finds_another_date_and_another_ttl_and_repairs_them(
    memory: OneTable, attribute: str, value: int | None, kind: DriftKind
) -> None:
    events = [lent(60), lent(30, "l2", at=NOW + 1), painted()]
    for event in events:
        apply(event)
    sound = row_of(memory)
    changed = {name: old for name, old in {**sound, attribute: value}.items() if old is not None}
    TABLE.put(changed, condition=UNCONDITIONAL)

    drift = audited(memory, *events, now_ms=HOUR_LATER)

    assert drift is not None
    assert [one.kind for one in drift.differences] == [kind]
    assert repair(TABLE, drift, ttl_days=TTL_DAYS, now_ms=HOUR_LATER)
    assert row_of(memory) == sound


def test_a_row_that_lives_by_its_date_alone_is_missed_and_written_again(memory: OneTable) -> None:
    later = NOW + 50 * DAY_MS
    for of_thing in (lent(60), lent(40)):
        drift = audited(memory, of_thing._replace(timestamp_ms=NOW), now_ms=later)
        # With ten days of its own it may have come too late; with a month it surely has come.
        assert drift is None

    basis = Basis(30, later, known_from_ms=0)
    (expected,) = expected_rows([message(lent(60))], on=ON, upcasters=NONE, now_ms=later).values()
    drift = compare(expected, None, basis)
    assert drift is not None
    assert [one.kind for one in drift.differences] == [DriftKind.MISSING]
    assert repair(TABLE, drift, ttl_days=30, now_ms=later)
    assert row_of(memory)[ttl.DATE] == NOW_SECONDS + 60 * DAY
    (over,) = expected_rows([message(lent(40))], on=ON, upcasters=NONE, now_ms=later).values()
    memory.clear()
    assert compare(over, None, basis) is None


def test_the_audit_takes_no_row_that_came_back_for_another_one(memory: OneTable) -> None:
    apply(lent(1), now_ms=NOW, replay=Replay("back", until=NOW_SECONDS + TTL_DAYS * DAY))

    assert audited(memory, lent(1), now_ms=HOUR_LATER, restores=True) is None
    assert audited(memory, lent(1), now_ms=HOUR_LATER) is not None


class NoPast:
    """No event; it says from when on it was asked."""

    def __init__(self) -> None:
        self.asked_ms = list[int]()

    def sample(self, from_ms: int) -> list[str]:
        raise NotImplementedError(from_ms)

    def of_partitions(self, partitions: Sequence[str], from_ms: int, *, with_late: bool) -> Iterator[tuple[str, str]]:
        raise NotImplementedError(partitions, from_ms, with_late)

    def of_shard(self, shard: int, from_ms: int) -> Iterator[tuple[str, str]]:
        del shard
        self.asked_ms.append(from_ms)
        return iter(())

    def has_since(self, since_ms: int) -> bool:  # noqa: ARG002  as the protocol says
        """True."""
        return True

    def begins_ms(self) -> int | None:
        return None


@pytest.mark.usefixtures("memory")
def test_the_audit_reads_as_far_back_as_a_date_may_lie_behind_its_event(monkeypatch: pytest.MonkeyPatch) -> None:
    declared: Any = ModuleType("views.loans.view")
    declared.ON, declared.TTL_DAYS, declared.TABLE = ON, TTL_DAYS, TABLE
    asked = list[int]()
    for within in (None, WITHIN_DAYS):
        if within is not None:
            declared.EXPIRES_WITHIN_DAYS = within
        monkeypatch.setitem(sys.modules, "views.loans.view", declared)
        past = NoPast()
        with frozen_clock(NOW):
            recompute({"shard": 0}, LocalContext("recompute"), listener=listener_of("views/loans"), past=past)
        asked += [(NOW - from_ms) // DAY_MS - LATEST_DAYS for from_ms in past.asked_ms]

    assert asked == [TTL_DAYS, WITHIN_DAYS]


# --- what is refused


def test_a_ttl_among_the_fields_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(ValueError, match=r"expires_at=<epoch seconds>"):
        ViewUpdate(key={"pk": "saw", "sk": "-"}, fields={"ttl": NOW_SECONDS}, oplock="loan")


@pytest.mark.parametrize("date", [NOW, -1, 1.5, "2026-11-21", True])
def test_a_date_is_epoch_seconds(date: Any) -> None:  # noqa: ANN401  anything an event may say
    with pytest.raises(Poison, match="epoch seconds"):
        ViewUpdate(key={"pk": "saw", "sk": "-"}, fields={}, oplock="loan", expires_at=date)


def test_a_view_is_told_what_to_write_about_its_dates() -> None:
    def on_returned(event: DomainEvent) -> ViewUpdate:
        update = on_lent(event)
        return ViewUpdate(key=update.key, key_fields=update.key_fields, fields=update.fields, oplock=update.oplock)

    events = [lent(30), lent(WITHIN_DAYS + 1, "l2"), happened("returned", "saw")]
    forgetful = LOANS._replace(on={**ON, ("workshop", "thing-returned"): on_returned})

    assert [*mistaken_dates(LOANS, [lent(30), painted()])] == []
    assert [*mistaken_dates(forgetful, events)] == [
        "thing-lent: its date lies beyond EXPIRES_WITHIN_DAYS in view.py of things",
        "loan: each update under it says expires_at, or none does",
    ]
    assert [*mistaken_dates(LOANS._replace(expires_within_days=None), events[:1])] == [
        "thing-lent: its row has a date; write EXPIRES_WITHIN_DAYS into view.py of things"
    ]


@pytest.mark.parametrize("replay", [None, Replay("job")])
def test_a_view_without_a_ttl_takes_no_dates(memory: OneTable, replay: Replay | None) -> None:
    event = lent(30)

    with pytest.raises(Poison, match=r"TTL_DAYS in view\.py"):
        on_lent(event).write(TABLE, event, ttl_days=None, now_ms=NOW, replay=replay)
    assert memory.rows() == []


def test_a_view_that_lets_the_last_word_on_the_date_expire_does_not_converge(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit of the proof: without the date of what is stale, some order keeps the row for less long."""
    monkeypatch.setattr(inverse_oplock, "_keeps_date", lambda *_: True)

    with pytest.raises(Diverged):
        converges(LOANS, STORIES["an earlier date"], limit=2, walks=0)
