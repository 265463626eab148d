"""The use of convergence: a mistake of each kind breaks a view, and the shortest sequence that shows it is found.

`tests/mutants` has the mistakes themselves.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.client import Table
from andon.dynamodb.expressions import Condition, conditional
from andon.events.domain_event import DomainEvent
from andon.testing.convergence import Diverged, Story, converges, view_of
from andon.views import inverse_oplock, materialize, view_update
from andon.views.compaction import Message, compact
from andon.views.inverse_oplock import NEWER, event_order, oplock_attribute, put_if_newer
from andon.views.materialize import Listener
from andon.views.oplock_family import OplockFamily
from andon.views.outcome import Outcome
from andon.views.row_life import UntilAnchored, UntilNewestExpires, WriteAttempt
from andon.views.view_update import ViewUpdate
from andon.wire import aws
from tests.views.board.stories import JOIN, LIFE
from toys import things
from toys.things import happened

Mutate = Callable[[pytest.MonkeyPatch, Listener], Listener]
On = Callable[[DomainEvent], ViewUpdate]

NOW_MS = 1_587_739_830_000


def on_of(view: Listener) -> Mapping[tuple[str, str], On]:
    """Return a view's handlers of events; a view collects none of them whole."""
    return cast("Mapping[tuple[str, str], On]", view.on)


def on_painted(event: DomainEvent) -> ViewUpdate:
    update = things.on_painted(event)
    return replace(update, fields={**update.fields, "scrapped": None})


def on_scrapped(event: DomainEvent) -> ViewUpdate:
    update = things.on_painted(event)
    return replace(update, fields={"colour": None, "gloss": None, "scrapped": True})


# A view that expires and has a deletion, which no real one has yet.
THINGS = things.VIEW._replace(
    on={**things.ON, ("workshop", "thing-painted"): on_painted, ("workshop", "thing-scrapped"): on_scrapped},
)

DAY_MS = 86_400_000
WORK = [
    happened("painted", "lathe", at=NOW_MS, id="p1", colour="red", gloss=1),
    happened("scrapped", "lathe", at=NOW_MS + DAY_MS, id="x1"),
    happened("painted", "lathe", at=NOW_MS + DAY_MS, id="p2", colour="blue"),
    happened("weighed", "lathe", at=NOW_MS + 2 * DAY_MS, id="w1", grams=7),
    happened("weighed", "lathe", at=NOW_MS + 3 * DAY_MS, id="w2"),
]
LABELS = [
    happened("labelled", "lathe", at=NOW_MS + number, id=f"{label[0]}{number}", label=label)
    for number, label in enumerate(["first", "a", "b", "c", "a", "d"])
]
WEIGHED_FIRST = [
    happened("weighed", "lathe", at=NOW_MS - 400 * DAY_MS, id="w1", grams=7),  # its paint may come now nevertheless
    happened("weighed", "lathe", at=NOW_MS, id="w2"),
    happened("painted", "lathe", at=NOW_MS, id="p1", colour="red"),
    happened("painted", "lathe", at=NOW_MS + 1, id="p2"),
]
BOARD = view_of("board")
STATE_LOG = view_of("state_log")


def newer(operator: str) -> Mutate:
    def mutate(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
        patch.setattr(inverse_oplock, "NEWER", NEWER.replace("#oplock < :oplock", f"#oplock {operator} :oplock"))
        return view

    return mutate


def with_oplock(name_of: Callable[[DomainEvent, ViewUpdate], str]) -> Mutate:
    def mutate(_: pytest.MonkeyPatch, view: Listener) -> Listener:
        def mutant(decide: On) -> On:
            return lambda event: replace(decide(event), oplock=name_of(event, decide(event)))

        return view._replace(on={subscription: mutant(decide) for subscription, decide in on_of(view).items()})

    return mutate


def order_without_id(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    patch.setattr(inverse_oplock, "event_order", lambda event, *_: f"{event.timestamp_ms:013d}")
    return view


def hard_delete(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    def put_or_delete(table: Table, update: ViewUpdate, event: DomainEvent, **more: Any) -> Outcome:  # noqa: ANN401
        if "deleted" not in event.type:
            return put_if_newer(table, update, event, **more)
        condition = Condition(
            "#oplock < :oplock", {"oplock": oplock_attribute(update.oplock)}, {"oplock": event_order(event)}
        )
        try:
            aws.client("dynamodb").delete_item(Key=to_typed(update.key), **conditional(table.name, condition))
        except ClientError:  # a condition that failed, here
            return Outcome.STALE
        return Outcome.APPLIED

    patch.setattr(view_update, "put_if_newer", put_or_delete)
    return view


def short_lived_tombstone(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    def put(table: Table, update: ViewUpdate, event: DomainEvent, *, ttl_days: int | None, now_ms: int) -> Outcome:
        days = 5 if "scrapped" in event.type else ttl_days
        return put_if_newer(table, update, event, ttl_days=days, now_ms=now_ms)

    patch.setattr(view_update, "put_if_newer", put)
    return view


def never_expired_on_arrival(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    patch.setattr(ttl, "is_expired", lambda *_: False)
    return view


def ttl_moves_backwards(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    def attempt(life: UntilNewestExpires, _: object = None) -> WriteAttempt:
        return WriteAttempt(Condition(""), expires_at=life.expires_at)

    patch.setattr(UntilNewestExpires, "first", property(attempt))
    patch.setattr(UntilNewestExpires, "after", attempt)
    return view


def skeletons_stay(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    after = UntilAnchored.after
    patch.setattr(UntilAnchored, "after", lambda life, row: after(life, row)._replace(expires_at=None))
    return view


def surplus_of_the_newest(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    def surplus(family: OplockFamily, row: Mapping[str, Any]) -> dict[str, str]:
        members = {
            name.removeprefix("oplock#"): order
            for name, order in row.items()
            if name.startswith(f"oplock#{family.prefix}") and name.removeprefix("oplock#") not in family.always
        }
        newest_first = sorted(members, key=members.__getitem__, reverse=True)
        return {name: members[name] for name in newest_first[: max(0, len(members) - family.most)]}

    patch.setattr(OplockFamily, "surplus", surplus)
    return view


def compaction_across_oplocks(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    def by_row(messages: Iterable[Message]) -> list[list[Message]]:
        groups: dict[str, list[Message]] = {}
        for message in messages:
            groups.setdefault(str(cast("ViewUpdate", message.update).key), []).append(message)
        return [
            sorted(group, key=lambda message: event_order(message.event), reverse=True) for group in groups.values()
        ]

    patch.setattr(materialize, "compact", by_row)
    return view


def compaction_forgets_the_third(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    patch.setattr(materialize, "compact", lambda messages: [group[:2] for group in compact(messages)])
    return view


def failures_are_acknowledged(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    patch.setattr(materialize, "failures", lambda _: [])
    return view


def missing_fields_stay(_: pytest.MonkeyPatch, view: Listener) -> Listener:
    def mutant(decide: On) -> On:
        def only_present(event: DomainEvent) -> ViewUpdate:
            update = decide(event)
            return replace(update, fields={name: value for name, value in update.fields.items() if value is not None})

        return only_present

    return view._replace(on={subscription: mutant(decide) for subscription, decide in on_of(view).items()})


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mistake, who makes it, and the shortest sequence that shows it."""

    mutate: Mutate
    view: Listener
    story: Story
    shortest: str


MUTANTS = {
    "<= for <": Mutant(newer("<="), THINGS, WORK, "p1, p1"),
    "> for <": Mutant(newer(">"), THINGS, WORK, "p1, x1"),
    "one shared oplock": Mutant(with_oplock(lambda *_: "all"), BOARD, JOIN, "s1, c1"),
    "one oplock per type": Mutant(with_oplock(lambda event, _: event.type), BOARD, LIFE, "u1, c1"),
    "order without the event id": Mutant(order_without_id, BOARD, LIFE, "u1, u2"),
    "hard delete": Mutant(hard_delete, BOARD, LIFE, "d1, c1"),
    "tombstone with a shorter ttl": Mutant(short_lived_tombstone, THINGS, WORK, "x1, reap"),
    "not expired on arrival": Mutant(never_expired_on_arrival, THINGS, WORK, "p1, reap, p1"),
    "ttl moves backwards": Mutant(ttl_moves_backwards, THINGS, WORK, "w1, p1"),
    "compaction across oplocks": Mutant(compaction_across_oplocks, BOARD, JOIN, "c1+s1"),
    "compaction forgets the third": Mutant(compaction_forgets_the_third, BOARD, LIFE, "c1+u2+d2"),
    "what failed is acknowledged": Mutant(failures_are_acknowledged, BOARD, LIFE, "u1 (busy after 0)"),
    "rows without an anchor stay": Mutant(skeletons_stay, things.ANCHORED, WEIGHED_FIRST, "w1, reap"),
    "of a family the oldest are kept": Mutant(surplus_of_the_newest, things.LABELLED, LABELS, "a1, b2, a4, c3"),
    "missing fields stay": Mutant(missing_fields_stay, BOARD, LIFE, "d1, c1"),
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_mistake_is_shown_by_the_shortest_sequence_that_breaks(
    mutant: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = mutant.mutate(monkeypatch, mutant.view)

    with pytest.raises(Diverged) as diverged:
        converges(view, mutant.story)

    assert diverged.value.shortest == mutant.shortest


@pytest.mark.parametrize(
    ("view", "story"),
    [(BOARD, LIFE), (THINGS, WORK), (things.LABELLED, LABELS), (things.ANCHORED, WEIGHED_FIRST)],
    ids=["board", "things", "a bounded family", "an anchor"],
)
def test_without_a_mistake_nothing_breaks(view: Listener, story: Story) -> None:
    assert converges(view, story) > 2 ** len(story)
