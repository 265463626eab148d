"""Projections of every view: what one keeps of an event depends on the event's entity, and on nothing odd in it."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

import pytest

from andon.events.domain_event import DomainEvent
from andon.packages.discovery import views
from andon.packages.package import Package
from andon.runtime.errors import Poison
from andon.testing.convergence import stories_of
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import updates_in
from tests.support.samples import fact, paths

SAMPLES: Final = [
    (view, path.stem)
    for view in views()
    for path in paths("domain")
    if ".v" not in path.stem and (fact(path.stem).tags["source"], fact(path.stem).type) in view.view.ON
]
EVENTS: Final = [(view, fact(name)) for view, name in SAMPLES] + [
    (view, event)
    for view in views()
    for name, story in stories_of(view.name).items()
    if not name.startswith("samples of ")  # of which some have an older shape
    for event in story
]
each_sample = pytest.mark.parametrize(("view", "name"), SAMPLES, ids=str)

TIMES: Final = ("2020-04-24T14:50:00Z", "2020-04-24T16:50:00.000+02:00", "2020-04-24", "2020-04-24T14:50:00.000Z#", "1")
STATES: Final = ("ERROR#2020", "error", "WARNING*", "A" * 33)
MEMBERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    **dict.fromkeys(("id", "equipmentId", "operator", "lead", "supervisor", "acknowledgedBy", "reason"), ("other", ())),
    "state": ("OTHER", STATES),
    **dict.fromkeys(("timestamp", "since"), ("2020-04-11T14:51:00.000Z", TIMES)),
}
"""Members of entities: another text that would do, and texts that would blur a key or break an order."""


def decide(view: Package, event: DomainEvent) -> tuple[ViewUpdate, ...]:
    return updates_in(view.view.ON[event.tags["source"], event.type](event))  # type: ignore[operator]


def updates_of(view: Package) -> list[ViewUpdate]:
    return [update for of, event in EVENTS if of == view for update in decide(view, event)]


@pytest.mark.parametrize("view", views(), ids=lambda view: view.name)
def test_fields_under_different_oplocks_are_disjoint_and_those_under_one_are_the_same(view: Package) -> None:
    updates = updates_of(view)

    for one, other in combinations(updates, 2):
        if one.oplock == other.oplock:
            assert one.fields.keys() == other.fields.keys()
        else:
            assert not one.fields.keys() & other.fields.keys()
    for update in updates:
        assert not update.fields.keys() & (update.key.keys() | update.key_fields.keys() | {"ttl"})
        assert not any(name.startswith("oplock#") for name in update.fields)


@pytest.mark.parametrize("view", [view for view in views() if view.has("row")], ids=lambda view: view.name)
def test_every_attribute_that_is_written_is_one_of_the_row(view: Package) -> None:
    [row] = [one for name, one in vars(view.load("row")).items() if name.endswith("Row")]
    updates = updates_of(view)

    written = {name for update in updates for name in (*update.key, *update.key_fields, *update.fields)}
    assert {name for name in written if "#" not in name or name in row.__annotations__} == row.__annotations__.keys()


def changed(name: str, member: str, value: Any) -> DomainEvent:  # noqa: ANN401  right or wrong
    return fact(name, **{member: value})


def is_plain(view: Package, event: DomainEvent) -> bool:
    """Return True if a view refuses an event, or keeps nothing of it but texts, numbers and truth values."""
    try:
        values = [value for update in decide(view, event) for value in update.fields.values()]
    except (Poison, ValueError):
        return True
    return all(value is None or isinstance(value, str | int | float) for value in values)


@each_sample
def test_what_a_view_uses_of_an_event_it_refuses_if_it_is_none(view: Package, name: str) -> None:
    """One without a type of its rows keeps it as a plain value, in no key."""
    ((_, entity),) = fact(name).entities.items()
    kept = decide(view, fact(name))
    for member, (other, wrong) in MEMBERS.items():
        if member in entity and decide(view, changed(name, member, other)) != kept:
            for value in (None, "", 7, ["x"], {"S": "x"}, *wrong):
                if view.has("row"):
                    with pytest.raises((Poison, ValueError)):
                        decide(view, changed(name, member, value))
                else:
                    assert is_plain(view, changed(name, member, value))


@each_sample
def test_views_read_neither_raw_nor_what_nobody_knows_yet(view: Package, name: str) -> None:
    event = fact(name)
    ((of, entity),) = event.entities.items()
    odd = event._replace(raw=None, entities={of: {**entity, "colour": "red", "nested": {"a": [1]}}, "unknown": {}})

    assert decide(view, odd) == decide(view, event)


@pytest.mark.parametrize(("view", "name"), [one for one in SAMPLES if one[1].endswith(".by-rule")], ids=str)
def test_what_a_rule_decided_is_kept_as_if_a_person_had(view: Package, name: str) -> None:
    by_rule = fact(name)
    ((of, entity),) = by_rule.entities.items()
    by_hand = {field: value for field, value in entity.items() if field not in {"by", "rule", "triggers"}}

    assert by_hand.keys() < entity.keys()
    assert decide(view, by_rule) == decide(view, by_rule._replace(entities={of: by_hand}))
