"""Versioning: what `versioning.py` of a service declares is what its commands write, be it with the samples."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from andon.cdk.checks.declared import refuse_unversioned
from andon.dynamodb.attribute_values import Item, to_plain
from andon.packages.discovery import follower_of_table, services
from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.permissions import recorded
from andon.testing.recorder import Recorder, file_of
from andon.testing.replayable import readers_of, time_of
from andon.testing.samples import paths, read
from andon.testing.versioning import Made, made_by, mistaken, mistaken_row, overfull, published_fence, unfixed

DECLARING = [package for package in services() if package.has("versioning")]


@pytest.mark.parametrize("service", DECLARING, ids=lambda one: one.name)
def test_each_aggregate_is_declared_and_contradicts_nothing(service: Package) -> None:
    refuse_unversioned(service)


@pytest.mark.parametrize("service", DECLARING, ids=lambda one: one.name)
def test_rows_are_written_as_they_are_declared(world: Loop, service: Package) -> None:
    unnamed = service.aggregates.keys() - service.facts.of.keys()
    by_requests = made_by_requests(service)
    made = [
        one if one.kind or len(unnamed) != 1 else one._replace(kind=min(unnamed))
        for one in (*made_upon_nothing(world, service), *by_requests)
    ]
    rows = dict(rows_of(service))

    wrong = [why for one in made for why in mistaken(service.aggregates, one)]
    wrong += unfixed(service.aggregates, by_requests)
    wrong += [why for path, row in rows.items() for why in mistaken_row(service.aggregates, path.name, row)]
    wrong += [why for row in rows.values() for why in published_fence(service.aggregates, service.facts, row)]
    assert not wrong, "; ".join(dict.fromkeys(wrong))
    unseen = service.aggregates.keys() - {one.kind for one in made} - {row["discriminator"] for row in rows.values()}
    assert not unseen, (
        f"no sample shows a row of {', '.join(sorted(unseen))}: let a request in tests/{service.folder}/samples.py "
        f"write one, then: andon samples. Or versioning.py declares what is gone"
    )


@pytest.mark.parametrize("service", [one for one in DECLARING if file_of(one).is_file()], ids=lambda one: one.name)
def test_a_tombstone_says_nothing_but_what_is_kept(service: Package) -> None:
    with Writing(service) as world:
        world.record()

    wrong = [
        why for table, row in world.tombstones for why in overfull(service.aggregates, row, world.schemas[table].keys)
    ]
    assert not wrong, "; ".join(dict.fromkeys(wrong))


def made_upon_nothing(world: Loop, service: Package) -> Iterator[Made]:
    """Yield the rows that its command writes by the samples, each where nothing is stored."""
    for sample in map(read, paths("http")):
        for invocation in readers_of(sample):
            if (invocation.package, invocation.role) == (service, "command"):
                world.clear()
                with frozen_clock(time_of(sample)), recorded() as calls:
                    world.invoke(invocation.package, invocation.role, invocation.event)
                yield from made_by(calls, world.schemas)


class Writing(Recorder):
    """A recorder of a service's samples that keeps which rows its command writes.

    made: all of them. tombstones: tables, and what stood in them once something was deleted.
    """

    def __init__(self, service: Package) -> None:
        super().__init__(service)
        self.made: list[Made] = []
        self.tombstones: list[tuple[str, Item]] = []

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """See `Loop`."""
        with recorded() as calls:
            answer = super().invoke(package, role, event)
        if (package, role) == (self._package, "command"):
            self.made += made_by(calls, self.schemas)
            rows = ((table, row) for table in package.tables for row in self.rows(table))
            self.tombstones += [(table, row) for table, row in rows if row.get("deleted")]
        return answer


def made_by_requests(service: Package) -> list[Made]:
    """Return the rows that its command writes by the requests beside its tests, each upon those before it."""
    if not file_of(service).is_file():
        return []
    with Writing(service) as world:
        world.record()
    return world.made


def rows_of(service: Package) -> Iterator[tuple[Path, Item]]:
    """Yield the living rows of which it publishes facts, by the samples of its streams."""
    for path in paths("stream"):
        [record] = read(path)["Records"]
        owner, _ = follower_of_table(record["eventSourceARN"].split("/")[1])
        row = to_plain(record["dynamodb"].get("NewImage", {}))
        if owner == service and "discriminator" in row and not row.get("deleted"):
            yield path, row
