"""Refuse views whose keys do not fit their events, as the project's samples show them.

A view is audited and rebuilt by the partition keys of its events: rows that lie elsewhere would be doubtful for ever.
And a row whose key takes what can change stays where it was when it changes, beside the new one. Both are lists of
things by something else than what they are: an index does that, whose keys are fields.
"""

from collections.abc import Iterator
from typing import Final

from andon.dynamodb.attribute_values import Attributes, Item, to_plain, to_typed
from andon.events.change_data_capture import StreamRecord, event_of
from andon.events.domain_event import DomainEvent
from andon.events.upcast import upcast
from andon.packages.discovery import follower_of_table
from andon.packages.package import Package
from andon.runtime.tried import Failed, tried
from andon.testing.samples import is_of_old, paths, read, topic_of
from andon.views.view_updates import updates_in

INDEX: Final = (
    "Give KEYS the name of what the event is about, and let an index list by the other: INDEXES in "
    "functions/views/{name}/view.py, with its attributes among the fields."
)
FOREIGN: Final = (
    "view {name}: the row of {type} has {partition} = {found!r}, but the event's partition key is {wanted!r}, by which "
    "the view is audited and rebuilt: each of its rows would be doubtful. "
)
MOVING: Final = (
    "view {name}: the key of a row takes {attribute} of the {discriminator} of {source}, which can change: the row "
    "with the old value would stay beside the new one. "
)
TOMBSTONE: Final = (
    "Return entered(update, <key of before>), of andon.views.view_updates, in functions/views/{name}/view.py: it "
    "leaves a tombstone there. The fact has to say where it was."
)
TAGS: Final = {"functionname": "sample", "pipeline": "sample"}

# What each write changes: a view with them in its key has a row for each version, on purpose.
OF_EACH_WRITE: Final = frozenset({"timestamp", "version", "since", "ttl", "fingerprint", "digest", "changedBy"})


def refuse_foreign_keys(view: Package) -> None:
    """Refuse a view whose rows lie in other partitions than their events, or whose keys move.

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
    fixed = OF_EACH_WRITE | (aggregate.fixed if aggregate else frozenset())
    for attribute, changed in _changes(owned, keys, fixed):
        after = _row_keys(view, service, record, owned, changed)
        if after and not all(key in after for key in before):
            words = MOVING.format(
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
