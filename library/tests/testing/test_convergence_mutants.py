"""The use of convergence: a mistake that each of its rules is for breaks a view, by the shortest sequence of its kind.

`tests/mutants` has the mistakes themselves.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from andon.dynamodb import ttl
from andon.dynamodb.client import Table
from andon.events.domain_event import DomainEvent
from andon.testing.convergence import Diverged, Story, converges
from andon.views import inverse_oplock, materialize, view_update
from andon.views.compaction import Message
from andon.views.inverse_oplock import NEWER, event_order, put_if_newer
from andon.views.materialize import Listener
from andon.views.oplocked_fields import OplockFamily
from andon.views.outcome import Outcome
from andon.views.row_life import UntilAnchored
from andon.views.view_update import ViewUpdate
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


def not_newer(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    patch.setattr(inverse_oplock, "NEWER", NEWER.replace("#oplock < :oplock", "#oplock <= :oplock"))
    return view


def one_oplock(_: pytest.MonkeyPatch, view: Listener) -> Listener:
    def mutant(decide: On) -> On:
        return lambda event: replace(decide(event), oplock="all")

    return view._replace(on={subscription: mutant(decide) for subscription, decide in on_of(view).items()})


def short_lived_tombstone(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    def put(table: Table, update: ViewUpdate, event: DomainEvent, *, ttl_days: int | None, now_ms: int) -> Outcome:
        days = 5 if "scrapped" in event.type else ttl_days
        return put_if_newer(table, update, event, ttl_days=days, now_ms=now_ms)

    patch.setattr(view_update, "put_if_newer", put)
    return view


def never_expired_on_arrival(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    patch.setattr(ttl, "is_expired", lambda *_: False)
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


def failures_are_acknowledged(patch: pytest.MonkeyPatch, view: Listener) -> Listener:
    patch.setattr(materialize, "failures", lambda _: [])
    return view


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mistake, who makes it, and the shortest sequence that shows it."""

    mutate: Mutate
    view: Listener
    story: Story
    shortest: str


MUTANTS = {
    "<= for <": Mutant(not_newer, THINGS, WORK, "p1, p1"),
    "one shared oplock": Mutant(one_oplock, THINGS, WORK, "w1, p1"),
    "tombstone with a shorter ttl": Mutant(short_lived_tombstone, THINGS, WORK, "x1, reap"),
    "not expired on arrival": Mutant(never_expired_on_arrival, THINGS, WORK, "p1, reap, p1"),
    "compaction across oplocks": Mutant(compaction_across_oplocks, THINGS, WORK, "p1+w1"),
    "what failed is acknowledged": Mutant(failures_are_acknowledged, THINGS, WORK, "p2 (busy after 0)"),
    "rows without an anchor stay": Mutant(skeletons_stay, things.ANCHORED, WEIGHED_FIRST, "w1, reap"),
    "of a family the oldest are kept": Mutant(surplus_of_the_newest, things.LABELLED, LABELS, "a1, b2, a4, c3"),
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
    [(THINGS, WORK), (things.LABELLED, LABELS), (things.ANCHORED, WEIGHED_FIRST)],
    ids=["things", "a bounded family", "an anchor"],
)
def test_without_a_mistake_nothing_breaks(view: Listener, story: Story) -> None:
    assert converges(view, story) > 2 ** len(story)
