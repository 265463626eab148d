"""Refuse services whose aggregates do not say how they are versioned, or contradict themselves."""

import warnings
from collections.abc import Iterator
from typing import Final

from andon.packages.discovery import services
from andon.packages.package import Package
from andon.testing.samples import paths, read, type_of
from andon.versions.aggregate import FROM_STREAM, Aggregate, Speed, contradictions

UNDECLARED: Final = (
    "service {name} {does} rows of {kind!r}, but does not say how they are versioned. Add {kind!r}: Aggregate(…) to "
    "AGGREGATES in functions/services/{name}/versioning.py, see andon.versions.aggregate"
)
CONTRADICTION: Final = "functions/services/{name}/versioning.py: {kind!r} {why}"
STREAM_FIRST: Final = (
    "is slow data, which is created by a row, but {route} publishes {type} without one. Say Speed.FAST, or let the "
    "route write a row"
)
NOT_KEPT: Final = (
    "keeps every version by the design {title!r}, but functions/services/{name}/revisions.py does not say which "
    "revision a row is, so that a lost region would come back without them. Add {kind!r} to REVISIONS there, or take a "
    "design that keeps none"
)
NO_TRIGGER: Final = (
    "has its versions kept by the trigger by the design {title!r}, but the service has none: it has no "
    "functions/services/{name}/facts.py. Publish a fact of it there, which brings it back when a region is lost, too; "
    "or take a design whose versions a command writes"
)
LIVES_WITH: Final = (
    "lives with {other!r}, which {why}. Name in lives_with= an aggregate of this service that expires, and write "
    "{kind!r} only while that is there"
)


def refuse_unversioned(service: Package) -> None:
    """Refuse an aggregate that is not declared, and a declaration that contradicts itself or its service.

    Where no service of a project declares any, as in those of before 0.2.0, it warns.

    Raises:
        ValueError: there is one; with both sides, and what to write where.

    """
    undeclared = [*_undeclared(service)]
    if undeclared and not any(one.has("versioning") for one in services()):
        for why in undeclared:
            warnings.warn(why, DeprecationWarning, stacklevel=2)
        return
    for why in [*undeclared, *_contradicting(service)]:
        raise ValueError(why)


def _undeclared(service: Package) -> Iterator[str]:
    kept = service.load("revisions").REVISIONS if service.has("revisions") else {}
    for does, kinds in (("publishes", service.facts.of), ("keeps revisions of", kept)):
        for kind in kinds:
            if kind not in service.aggregates:
                yield UNDECLARED.format(name=service.name, does=does, kind=kind)


def _contradicting(service: Package) -> Iterator[str]:
    for kind, aggregate in service.aggregates.items():
        for why in (*contradictions(aggregate), *_of_service(service, kind, aggregate)):
            yield CONTRADICTION.format(name=service.name, kind=kind, why=why)


def _of_service(service: Package, kind: str, aggregate: Aggregate) -> Iterator[str]:
    kept = service.load("revisions").REVISIONS if service.has("revisions") else {}
    by_trigger = aggregate.design is FROM_STREAM
    if (aggregate.design.keeps or by_trigger) and kind not in kept:
        yield NOT_KEPT.format(title=aggregate.design.title, name=service.name, kind=kind)
    if by_trigger and not service.has("facts"):
        yield NO_TRIGGER.format(title=aggregate.design.title, name=service.name)
    other = aggregate.lives_with
    if other is not None and not (other in service.aggregates and service.aggregates[other].expires):
        why = "never expires" if other in service.aggregates else "nobody declares"
        yield LIVES_WITH.format(kind=kind, other=other, why=why)
    if aggregate.speed is Speed.SLOW:
        for route, (event_type, _) in service.stream_first.items():
            if kind in _kinds_of(event_type):
                yield STREAM_FIRST.format(route=route, type=event_type)


def _kinds_of(event_type: str) -> set[str]:
    """Return the discriminators of rows whose changes are such facts, as the project's samples show them."""
    records = (read(path)["Records"][0]["dynamodb"] for path in paths("stream") if type_of(path) == event_type)
    images = (record.get("NewImage", record.get("OldImage", {})) for record in records)
    return {image["discriminator"]["S"] for image in images if "discriminator" in image}
