"""Kept members: whatever a view keeps of an entity is written whole, goes with a deletion, and is shown.

A view declares them by `keep`, see `andon.views.keep`.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import pytest

from andon.events.domain_event import ENVELOPE, DomainEvent
from andon.events.upcast import upcast
from andon.packages.discovery import views
from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.testing.samples import paths, read, topic_of
from andon.tools.in_process.openapi import document
from andon.views.keep import KeptMembers
from andon.views.view_updates import updates_in


def _kept_of(view: Package) -> list[KeptMembers]:
    """Return those of its modules, and of the modules that its `view.py` imports something from."""
    declared = vars(view.load("view"))
    names = {str(getattr(one, "__module__", "")) for one in declared.values()}
    modules = [declared, *(vars(sys.modules[name]) for name in sorted(names & sys.modules.keys()))]
    found = {id(one): one for module in modules for one in module.values() if isinstance(one, KeptMembers)}
    return [*found.values()]


KEPT: Final = [(view, kept) for view in views() for kept in _kept_of(view)]

WHOLE: Final = cache(document)

of_each = pytest.mark.parametrize(("view", "kept"), KEPT, ids=[view.name for view, _ in KEPT])


@of_each
def test_a_row_gets_all_that_is_kept_or_nothing_of_it(view: Package, kept: KeptMembers) -> None:
    attributes = {*kept.members, *kept.also}
    partly = {
        type_: sorted(attributes - fields.keys())
        for type_, fields in _written(view)
        if not attributes.isdisjoint(fields) and not attributes <= fields.keys()
    }

    assert partly == {}, "these are left as they were before: take all fields from KEPT.of(…), also those of `also`"


@of_each
def test_a_deletion_takes_all_that_is_kept(view: Package, kept: KeptMembers) -> None:
    attributes = {*kept.members, *kept.also}
    left = {
        type_: sorted(name for name in attributes if fields.get(name) is not None)
        for type_, fields in _written(view, deleted=True)
        if not attributes.isdisjoint(fields)
    }

    assert not any(left.values()), f"of what was deleted there still is {left}: let KEPT.of(…) make the tombstone"


@of_each
def test_what_is_kept_is_shown(view: Package, kept: KeptMembers) -> None:
    if view.routes:
        unseen = {member for member, _ in kept.members.values()} - _shown_by(view)
        assert unseen == set(), "no response says this: say **KEPT.said_in(row) in one, and declare it there"


def _written(view: Package, *, deleted: bool = False) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the attributes that the samples of events write, and their types; deleted: as if they told of an end."""
    for path in paths("domain"):
        topic, wire = topic_of(path), read(path)
        declared: Any = view.view
        if decide := declared.ON.get(topic):
            event = upcast(DomainEvent.from_wire(_ended(wire) if deleted else wire), view.upcasters, source=topic[0])
            for update in updates_in(decide(event)):
                yield topic[1], update.fields


def _ended(wire: JsonObject) -> JsonObject:
    entities = {name: said for name, said in wire.items() if name not in ENVELOPE and isinstance(said, dict)}
    return {**wire, **{name: {**said, "deleted": True} for name, said in entities.items()}}


def _shown_by(view: Package) -> set[str]:
    """Return the names of all members of the responses of a view."""
    whole = WHOLE()
    found = set[str]()
    for key in view.routes:
        method, _, path = key.partition(" ")
        for status, response in whole["paths"][path][method.lower()]["responses"].items():
            if status.startswith("2"):
                found |= _members_in(response, whole["components"]["schemas"], frozenset())
    return found


def _members_in(said: Any, schemas: JsonObject, seen: frozenset[str]) -> set[str]:  # noqa: ANN401  any part of it
    if isinstance(said, list):
        return set[str]().union(*(_members_in(one, schemas, seen) for one in said))
    if not isinstance(said, dict):
        return set()
    name = str(said.get("$ref", "")).rpartition("/")[2]
    inner = _members_in(schemas[name], schemas, seen | {name}) if name and name not in seen else set[str]()
    return inner.union(said.get("properties", ()), *(_members_in(one, schemas, seen) for one in said.values()))
