"""A change of an owned row -> the fact that it is to others. Pure."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.events.actor import author_in
from andon.runtime.json_types import JsonMapping


class Change(NamedTuple):
    """One change of one row: its images before and after, None where there was none."""

    kind: Literal["INSERT", "MODIFY", "REMOVE"]
    old: Item | None
    new: Item | None

    @property
    def row(self) -> Item:
        """The row as it is now, or as it was last."""
        return self.new or self.old or {}


class Fact(NamedTuple):
    """The meaning of a change to others; `timestamp_ms` is the time of the business fact; `actor`: see `actor.py`.

    hops: the number of events before it, where the row itself does not say so; see `andon.events.hops`.
    """

    type: str
    timestamp_ms: int
    partition_key: str
    entity_name: str
    entity: JsonMapping
    actor: str
    hops: int = 0


Meaning = Callable[[Change], Fact | None]

Meanings = Mapping[str, Meaning]
"""Discriminator -> the fact of a change of such a row; None: it means nothing to others."""

Expired = Callable[[Item, Meanings], Fact | None]
"""A row that the TTL service removed, and its service's meanings -> the fact of its expiry."""


def _no_fact(row: Item, of: Meanings) -> None:
    """Return None: the expiry of a row means nothing to others."""


class FactAlarm(NamedTuple):
    """An alarm that rings whenever a fact of a type is published.

    name: of what it watches. means: a sentence for whoever is woken. runbook: the page, without its ending.
    """

    name: str
    means: str
    runbook: str


class Facts(NamedTuple):
    """The facts that a service publishes of its table.

    source: the service. types: every type that it publishes, each with a sample in `events/`.
    of: the meanings of changes; rows of other discriminators stay private. expired: the meaning of a row's expiry.
    alarms: type -> its alarm; the trigger counts these in a metric that is called as the type.
    entities: type -> the TypedDict of its entity, which is the contract with whoever subscribes; see `andon contracts`.
    """

    source: str
    types: frozenset[str]
    of: Meanings
    expired: Expired = _no_fact
    alarms: Mapping[str, FactAlarm] = {}
    entities: Mapping[str, type] = {}

    def fact_of(self, change: Change) -> Fact | None:
        """Return the fact of a change, None if it means nothing to others.

        Raises:
            ValueError: the service does not declare the type.

        """
        meaning_of = self.of.get(change.row.get("discriminator", ""))
        return self._require_declared(meaning_of(change) if meaning_of else None)

    def expiry_of(self, row: Item) -> Fact | None:
        """Return the fact of a row that the TTL service removed, None if it means nothing to others.

        Raises:
            ValueError: the service does not declare the type.

        """
        return self._require_declared(self.expired(row, self.of))

    def _require_declared(self, fact: Fact | None) -> Fact | None:
        if fact and fact.type not in self.types:
            raise ValueError(f"{self.source} does not declare {fact.type}")
        return fact


def lifecycle_types(discriminator: str) -> frozenset[str]:
    """Return the types of all changes in an entity's life, see `lifecycle`."""
    return frozenset(f"{discriminator}-{change}" for change in ("created", "updated", "deleted", "undeleted"))


def lifecycle(change: Change, discriminator: str) -> str:
    """Return the type of a change in an entity's life: `<discriminator>-<created|updated|deleted|undeleted>`."""
    was_there, is_there = _is_live(change.old), _is_live(change.new)
    if not is_there:
        return f"{discriminator}-deleted"
    if was_there:
        return f"{discriminator}-updated"
    return f"{discriminator}-{'undeleted' if change.old else 'created'}"


def _is_live(image: Item | None) -> bool:
    return bool(image) and not (image or {}).get("deleted")


def _timestamp_in(row: Item) -> int:
    timestamp: int = row["timestamp"]
    return timestamp


def fact_of_row(
    event_type: str,
    entity_name: str,
    *,
    partition: str,
    entity_of: Callable[[Any], JsonMapping],
    time_of: Callable[[Any], int] = _timestamp_in,
    once: bool = False,
) -> Meaning:
    """Return the meaning of each new version of a row; with `once`, only of its first.

    partition: the attribute with the partition key. entity_of: row -> entity, typed by its package. time_of: row ->
    epoch milliseconds.
    """

    def fact_of(change: Change) -> Fact | None:
        row = change.new
        if row is None or (once and change.kind != "INSERT"):
            return None
        return Fact(event_type, time_of(row), row[partition], entity_name, entity_of(row), actor=author_in(row))

    return fact_of
