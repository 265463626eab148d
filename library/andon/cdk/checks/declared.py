"""Declarations of packages that a synth refuses, or warns of."""

import warnings
from collections.abc import Iterator
from typing import Final

from andon.dynamodb.attribute_values import Attributes, Item, to_plain, to_typed
from andon.dynamodb.schema import Partition, TableSchema
from andon.events.actor import with_actor
from andon.events.change_data_capture import StreamRecord, event_of
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.events.upcast import upcast
from andon.packages.discovery import follower_of_table, readers, services
from andon.packages.package import Package
from andon.runtime.tried import Failed, tried
from andon.testing.samples import is_of_old, paths, read, topic_of, type_of
from andon.versions.aggregate import FROM_STREAM, Aggregate, Speed, contradictions
from andon.views.view_updates import updates_in

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

_NO_END: Final = "view {name}: rows in objects need TTL_DAYS in view.py: tombstones would stay for ever."
_NO_STREAM: Final = "view {name}: a bucket has no stream to push changes from; keep the rows of a live view in a table."
_ONE_VERSION: Final = "view {name}: a view in objects is in one version: name a new bucket, and fill it from the lake."


def refuse_unkept(package: Package) -> None:
    """Refuse a view that objects cannot keep.

    Raises:
        ValueError: it never expires, is pushed to screens, or is the next version of another.

    """
    reasons = {
        _NO_END: package.view.TTL_DAYS is None,
        _NO_STREAM: package.plays("push"),
        _ONE_VERSION: package.replaces is not None,
    }
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(reason.format(name=package.name))


# Refuse packages to which something is missing that they need to read events. Pure.

_NO_LISTENER: Final = (
    "service {name} has rules, but no listener that stores events for them, so that they would never decide. Write "
    "functions/services/{name}/subscriptions.py, with ON = {{(source, type): what is stored of it}}, see "
    "`andon.rules.collect.Collected`; own facts are stored as `remembers` of CONTROL in control.py says."
)
_NOT_STORED: Final = (
    "service {name}: rule {rule} is on {type} of {source}, which nobody stores there, so that it would never decide. "
    "Add {topic} to {where}."
)
_NOT_LIFTED: Final = (
    "{folder} subscribes to {type} of {source}, whose old shapes {other} lifts and it does not: each event of before "
    "that comes again would be a fault. Add UPCASTERS = {{{topic}: (…,)}} to functions/{file}, with the steps of "
    "functions/{example}."
)
_NOT_READ: Final = (
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
        raise ValueError(_NO_LISTENER.format(name=service.name))
    for rule in control.rules.all:
        for topic in sorted(rule.on - service.subscriptions - remembered):
            source, event_type = topic
            room = f"functions/services/{service.name}"
            is_own = source == control.rules.source
            where = f"`remembers` of CONTROL in {room}/control.py" if is_own else f"ON in {room}/subscriptions.py"
            named = repr(event_type) if is_own else _text(topic)
            raise ValueError(
                _NOT_STORED.format(
                    name=service.name, rule=rule.id, type=event_type, source=source, topic=named, where=where
                )
            )


def refuse_unlifted(reader: Package) -> None:
    """Refuse a subscription to old shapes that this reader does not lift: another one does, or a sample has them.

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
                _NOT_LIFTED.format(
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
                _NOT_READ.format(
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
_CONTRADICTION: Final = "functions/services/{name}/versioning.py: {kind!r} {why}"
STREAM_FIRST: Final = (
    "is slow data, which is created by a row, but {route} publishes {type} without one. Say Speed.FAST, or let the "
    "route write a row"
)
_NOT_KEPT: Final = (
    "keeps every version by the design {title!r}, but functions/services/{name}/revisions.py does not say which "
    "revision a row is, so that a lost region would come back without them. Add {kind!r} to REVISIONS there, or take a "
    "design that keeps none"
)
_NO_TRIGGER: Final = (
    "has its versions kept by the trigger by the design {title!r}, but the service has none: it has no "
    "functions/services/{name}/facts.py. Publish a fact of it there, which brings it back when a region is lost, too; "
    "or take a design whose versions a command writes"
)
_LIVES_WITH: Final = (
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
            yield _CONTRADICTION.format(name=service.name, kind=kind, why=why)


def _of_service(service: Package, kind: str, aggregate: Aggregate) -> Iterator[str]:
    kept = service.load("revisions").REVISIONS if service.has("revisions") else {}
    by_trigger = aggregate.design is FROM_STREAM
    if (aggregate.design.keeps or by_trigger) and kind not in kept:
        yield _NOT_KEPT.format(title=aggregate.design.title, name=service.name, kind=kind)
    if by_trigger and not service.has("facts"):
        yield _NO_TRIGGER.format(title=aggregate.design.title, name=service.name)
    other = aggregate.lives_with
    if other is not None and not (other in service.aggregates and service.aggregates[other].expires):
        why = "never expires" if other in service.aggregates else "nobody declares"
        yield _LIVES_WITH.format(kind=kind, other=other, why=why)
    if aggregate.speed is Speed.SLOW:
        for route, (event_type, _) in service.stream_first.items():
            if kind in _kinds_of(event_type):
                yield STREAM_FIRST.format(route=route, type=event_type)


def _kinds_of(event_type: str) -> set[str]:
    """Return the discriminators of rows with changes that are such facts, as the project's samples show them."""
    records = (read(path)["Records"][0]["dynamodb"] for path in paths("stream") if type_of(path) == event_type)
    images = (record.get("NewImage", record.get("OldImage", {})) for record in records)
    return {image["discriminator"]["S"] for image in images if "discriminator" in image}


# Refuse views whose keys do not fit their events, as the project's samples show them.
#
# A view is audited and rebuilt by the partition keys of its events: rows that lie elsewhere would be doubtful for ever.
# And a row whose key takes what can change stays where it was when it changes, beside the new one. Both are lists of
# things by something else than what they are: an index does that, whose keys are fields.

INDEX: Final = (
    "Give KEYS the name of what the event is about, and let an index list by the other: INDEXES in "
    "functions/views/{name}/view.py, with its attributes among the fields."
)
FOREIGN: Final = (
    "view {name}: the row of {type} has {partition} = {found!r}, but the event's partition key is {wanted!r}, by which "
    "the view is audited and rebuilt: each of its rows would be doubtful. "
)
_MOVING: Final = (
    "view {name}: the key of a row takes {attribute} of the {discriminator} of {source}, which can change: the row "
    "with the old value would stay beside the new one. "
)
TOMBSTONE: Final = (
    "Return entered(update, <key of before>), of andon.views.view_updates, in functions/views/{name}/view.py: it "
    "leaves a tombstone there. The fact has to say where it was."
)
TAGS: Final = {"functionname": "sample", "pipeline": "sample"}

# What each write changes: a view with them in its key has a row for each version, on purpose.
_OF_EACH_WRITE: Final = frozenset({"timestamp", "version", "since", "ttl", "fingerprint", "digest", "changedBy"})


def refuse_foreign_keys(view: Package) -> None:
    """Refuse a view with rows in other partitions than their events, or with keys that move.

    Raises:
        ValueError: it is one; with what to write where.

    """
    _refuse_foreign_partition(view)
    for path in paths("stream"):
        for record in read(path)["Records"]:
            _refuse_moving(view, record)


def _refuse_foreign_partition(view: Package) -> None:
    for path in paths("domain"):
        if is_of_old(path) or not view.subscribes_to(*topic_of(path)):
            continue
        event, partition = DomainEvent.from_wire(read(path)), view.view.KEYS.partition
        for found in sorted({key[partition] for key in _keys_of(view, event, topic_of(path)[0])}):
            if found != event.partition_key:
                words = FOREIGN.format(
                    name=view.name, type=event.type, partition=partition, found=found, wanted=event.partition_key
                )
                raise ValueError(words + INDEX.format(name=view.name))


def _refuse_moving(view: Package, record: StreamRecord) -> None:
    """Refuse a view if another value of an attribute that is in no key of its owner's table moves the row."""
    image = record["dynamodb"].get("NewImage")
    service, role = follower_of_table(record["eventSourceARN"].split("/")[1])
    if image is None or role != "trigger":
        return
    owned = to_plain(image)
    before = _row_keys(view, service, record, owned, owned)
    if not before:
        return
    keys = "\n".join(str(value) for value in to_plain(record["dynamodb"]["Keys"]).values())
    aggregate = service.aggregates.get(owned.get("discriminator", ""))
    fixed = _OF_EACH_WRITE | (aggregate.fixed if aggregate else frozenset())
    for attribute, changed in _changes(owned, keys, fixed):
        after = _row_keys(view, service, record, owned, changed)
        if after and not all(key in after for key in before):
            words = _MOVING.format(
                name=view.name, attribute=attribute, discriminator=owned["discriminator"], source=service.name
            )
            raise ValueError(words + (INDEX if view.objects is None else TOMBSTONE).format(name=view.name))


def _row_keys(view: Package, service: Package, record: StreamRecord, old: Item, new: Item) -> list[Attributes]:
    """Return the keys of the view's rows about a change of a row of a service: none if it keeps nothing of it."""
    images = {**record["dynamodb"], "OldImage": to_typed(old), "NewImage": to_typed(new)}
    changed: StreamRecord = {**record, "eventName": "MODIFY", "dynamodb": images}  # type: ignore[typeddict-item]
    event = tried(lambda: event_of(changed, facts=service.facts, tags=TAGS))
    if isinstance(event, Failed) or event is None or not view.subscribes_to(service.name, event.type):
        return []
    return _keys_of(view, event, service.name)


def _keys_of(view: Package, event: DomainEvent, source: str) -> list[Attributes]:
    """Return the keys of the rows of an event; none if the view cannot read it, which other laws say."""
    update = tried(lambda: view.view.ON[source, event.type](upcast(event, view.upcasters, source=source)))  # type: ignore[operator]
    return [] if isinstance(update, Failed) else [one.key for one in updates_in(update)]


def _changes(row: Item, keys: str, fixed: frozenset[str]) -> Iterator[tuple[str, Item]]:
    """Yield a row with another value of an attribute each; keys: the text of its own, which never change."""
    for name, value in row.items():
        if name not in fixed and name != "discriminator":
            for path, changed in _others(value, keys):
                yield f"{name}{path}", {**row, name: changed}


def _others(value: object, keys: str) -> Iterator[tuple[str, object]]:
    """Yield another value in the place of each text and number in a value, with its path."""
    match value:
        case str() if value and value not in keys:
            yield "", f"{value}0"
        case dict():
            for name, inner in value.items():
                for path, changed in _others(inner, keys):
                    yield f".{name}{path}", {**value, name: changed}
        case _:
            return
