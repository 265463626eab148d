"""Declarations of packages that a synth refuses, or warns of."""

import warnings
from collections.abc import Iterator
from typing import Final

from andon.dynamodb.schema import Partition, TableSchema
from andon.events.actor import with_actor
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.packages.discovery import readers, services
from andon.packages.package import Package
from andon.runtime.tried import Failed, tried
from andon.testing.samples import is_of_old, paths, read, topic_of, type_of
from andon.versions.aggregate import FROM_STREAM, Aggregate, Speed, contradictions

# Refuse partition keys that would send all writes of a moment to one partition. Pure.
#
# A partition takes 1,000 write units a second, however large the table is:
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html


SPREAD: Final[frozenset[Partition]] = frozenset({"entity", "tenant", "shard"})


def refuse_hot_partitions(table: str, schema: TableSchema) -> None:
    """Refuse a table if it, or one of its indexes, is partitioned by a date or a constant.

    Raises:
        ValueError: it is; with the table or index, and the attribute.

    """
    partitioned = {table: schema.keys} | {
        f"{table}, index {name}": index.keys for name, index in schema.indexes.items()
    }
    for where, keys in partitioned.items():
        if keys.one_partition_per not in SPREAD:
            raise ValueError(
                f"{where}: {keys.partition!r} has one partition per {keys.one_partition_per}, so that everything "
                "written at a time would go to one partition. Partition by what the rows are about and sort by the "
                'date: "entity" if that is one thing, "tenant" if several share the value, as in an index by a place.'
            )


# Refuse views that objects cannot keep.

NO_END: Final = "view {name}: rows in objects need TTL_DAYS in view.py: tombstones would stay for ever."
NO_STREAM: Final = "view {name}: a bucket has no stream to push changes from; keep the rows of a live view in a table."
ONE_VERSION: Final = "view {name}: a view in objects is in one version: name a new bucket, and fill it from the lake."


def refuse_unkept(package: Package) -> None:
    """Refuse a view that objects cannot keep.

    Raises:
        ValueError: it never expires, is pushed to screens, or is the next version of another.

    """
    reasons = {
        NO_END: package.view.TTL_DAYS is None,
        NO_STREAM: package.plays("push"),
        ONE_VERSION: package.replaces is not None,
    }
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(reason.format(name=package.name))


# Refuse packages to which something is missing that they need to read events. Pure.

NO_LISTENER: Final = (
    "service {name} has rules, but no listener that stores events for them, so that they would never decide. Write "
    "functions/services/{name}/subscriptions.py, with ON = {{(source, type): what is stored of it}}, see "
    "`andon.rules.collect.Collected`; own facts are stored as `remembers` of CONTROL in control.py says."
)
NOT_STORED: Final = (
    "service {name}: rule {rule} is on {type} of {source}, which nobody stores there, so that it would never decide. "
    "Add {topic} to {where}."
)
NOT_LIFTED: Final = (
    "{folder} subscribes to {type} of {source}, whose old shapes {other} lifts and it does not: each event of before "
    "that comes again would be a fault. Add UPCASTERS = {{{topic}: (…,)}} to functions/{file}, with the steps of "
    "functions/{example}."
)
NOT_READ: Final = (
    "{folder} cannot read events/domain/{sample}, an old shape of {type} of {source}: each such event that comes again "
    "would be a fault. Add UPCASTERS = {{{topic}: (…,)}} to functions/{file}; a step takes an event's entities, and "
    "returns them in the shape of today."
)


def refuse_idle_rules(service: Package) -> None:
    """Refuse rules on events that their service does not store.

    Raises:
        ValueError: there is such a rule; with what to write where.

    """
    if not service.has("control"):
        return
    control = service.load("control").CONTROL
    remembered = {(control.rules.source, event_type) for event_type in control.remembers}
    if not service.plays("listener") and not remembered:
        raise ValueError(NO_LISTENER.format(name=service.name))
    for rule in control.rules.all:
        for topic in sorted(rule.on - service.subscriptions - remembered):
            source, event_type = topic
            room = f"functions/services/{service.name}"
            is_own = source == control.rules.source
            where = f"`remembers` of CONTROL in {room}/control.py" if is_own else f"ON in {room}/subscriptions.py"
            named = repr(event_type) if is_own else _text(topic)
            raise ValueError(
                NOT_STORED.format(
                    name=service.name, rule=rule.id, type=event_type, source=source, topic=named, where=where
                )
            )


def refuse_unlifted(reader: Package) -> None:
    """Refuse a subscription whose old shapes another reader lifts, and this one does not; or nobody, as a sample shows.

    Raises:
        ValueError: there is one; with what to write where.

    """
    _refuse_unlifted_here(reader)
    _refuse_unread(reader)


def _refuse_unlifted_here(reader: Package) -> None:
    for other in readers():
        for topic in sorted(reader.subscriptions & other.upcasters.keys() - reader.upcasters.keys()):
            source, event_type = topic
            raise ValueError(
                NOT_LIFTED.format(
                    folder=reader.folder,
                    type=event_type,
                    source=source,
                    other=other.folder,
                    topic=_text(topic),
                    file=f"{reader.path(reader.reads_in)}.py",
                    example=f"{other.path(other.reads_in)}.py",
                )
            )


def _refuse_unread(reader: Package) -> None:
    for path in filter(is_of_old, paths("domain")):
        topic, event = topic_of(path), DomainEvent.from_wire(read(path))
        if topic not in reader.subscriptions or topic in reader.upcasters:
            continue
        is_read = not isinstance(tried(reader.load(reader.reads_in).ON[topic], with_actor(event)), Failed)
        if not is_read:
            source, event_type = topic
            raise ValueError(
                NOT_READ.format(
                    folder=reader.folder,
                    sample=path.name,
                    type=event_type,
                    source=source,
                    topic=_text(topic),
                    file=f"{reader.path(reader.reads_in)}.py",
                )
            )


def _text(topic: Topic) -> str:
    source, event_type = topic
    return f'("{source}", "{event_type}")'


# Refuse services whose aggregates do not say how they are versioned, or contradict themselves.

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
