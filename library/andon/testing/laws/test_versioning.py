"""Versioning: what `versioning.py` of a service declares is what its commands write, be it with the samples."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from andon.cdk.checks.versioning import refuse_unversioned
from andon.dynamodb.attribute_values import Item, to_plain
from andon.packages.discovery import follower_of_table, services
from andon.packages.package import Package
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.memory.calls import Call
from andon.testing.permissions import recorded
from andon.testing.replayable import Invocation, readers_of, time_of
from andon.testing.samples import paths, read
from andon.testing.versioning import made_by, mistaken, mistaken_row, published_fence

DECLARING = [package for package in services() if package.has("versioning")]


@pytest.mark.parametrize("service", DECLARING, ids=lambda one: one.name)
def test_each_aggregate_is_declared_and_contradicts_nothing(service: Package) -> None:
    refuse_unversioned(service)


@pytest.mark.parametrize("service", DECLARING, ids=lambda one: one.name)
def test_rows_are_written_as_they_are_declared(world: Loop, service: Package) -> None:
    unnamed = service.aggregates.keys() - (service.facts.of if service.has("facts") else {})
    made = [
        one if one.kind or len(unnamed) != 1 else one._replace(kind=min(unnamed))
        for invocation, at_ms in commands_of(service)
        for one in made_by(calls_of(world, invocation, at_ms), world.schemas)
    ]
    rows = dict(rows_of(service))

    assert [*dict.fromkeys(why for one in made for why in mistaken(service.aggregates, one))] == []
    assert [why for path, row in rows.items() for why in mistaken_row(service.aggregates, path.name, row)] == []
    assert [why for row in rows.values() for why in published_fence(service.aggregates, service.facts, row)] == []
    shown = {one.kind for one in made} | {row["discriminator"] for row in rows.values()}
    assert service.aggregates.keys() - shown == set(), "no sample shows a row of these"


def commands_of(service: Package) -> Iterator[tuple[Invocation, int]]:
    """Yield the invocations of its command by the samples, each with its time in epoch milliseconds."""
    for sample in map(read, paths("http")):
        for invocation in readers_of(sample):
            if (invocation.package, invocation.role) == (service, "command"):
                yield invocation, time_of(sample)


def calls_of(world: Loop, invocation: Invocation, at_ms: int) -> list[Call]:
    """Return the calls to AWS of an invocation, where nothing is stored."""
    world.clear()
    with frozen_clock(at_ms), recorded() as calls:
        world.invoke(invocation.package, invocation.role, invocation.event)
    return calls


def rows_of(service: Package) -> Iterator[tuple[Path, Item]]:
    """Yield the living rows of which it publishes facts, by the samples of its streams."""
    for path in paths("stream"):
        [record] = read(path)["Records"]
        owner, _ = follower_of_table(record["eventSourceARN"].split("/")[1])
        row = to_plain(record["dynamodb"].get("NewImage", {}))
        if owner == service and "discriminator" in row and not row.get("deleted"):
            yield path, row
