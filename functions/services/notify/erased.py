"""Erased people: nothing is left of their addresses, and nobody tells them anything again."""

from collections.abc import Hashable
from contextlib import suppress
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.schema import KeyQuery
from andon.events.actor import actor_of
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.versions.versioned_write import ATTEMPTS, Contended
from andon.views.outcome import Outcome
from services.notify.contact import MOST_ROWS
from services.notify.contacts_table import CONTACT, CONTACTS, KEYS
from services.notify.tables import partition_of

EMPTY: Final = frozenset({*KEYS.names, "ttl"})
"""The attributes of a row of which nothing is left but its key, until the TTL service takes it."""


class Erasure(NamedTuple):
    """The write upon an erasure: a fence in place of a contact, and nothing beside it; the same however often."""

    person: str

    @property
    def target(self) -> Hashable:
        """The partition of the person."""
        return partition_of(self.person)

    @property
    def about_ms(self) -> None:
        """None: a person is erased once."""

    @property
    def origin(self) -> str:
        """Empty: one service alone erases."""
        return ""

    def write(
        self,
        table: Table,  # noqa: ARG002  addresses have a table of their own
        event: DomainEvent,
        *,
        now_ms: int,
        ttl_days: int | None = None,  # noqa: ARG002  for good
        replay: Replay | None = None,  # noqa: ARG002  the same
    ) -> Outcome:
        """Erase the addresses of a person, against concurrent writes.

        Raises:
            Contended: others wrote at each of `ATTEMPTS` attempts. The message must come again.

        """
        outcome = Outcome.DUPLICATE
        for _ in range(ATTEMPTS):
            contact, *others = _rows_of(self.person)
            if contact.get("deleted") and not others:
                return outcome
            outcome = Outcome.APPLIED
            if not contact.get("deleted"):
                _fence(contact, event)
            for row in others:  # a code that is tried meanwhile is no proof: it is not there any more
                CONTACTS.put({**_key(row), "ttl": now_ms // 1000}, condition=UNCONDITIONAL)
        raise Contended


def is_erased(partition: str) -> bool:
    """Return True if the person of a partition was erased."""
    row = CONTACTS.get(KEYS.of(partition, CONTACT), consistent=True)
    return row is not None and "deleted" in row


def _rows_of(person: str) -> list[Item]:
    """Return the row of a contact, its key alone if there is none, and the others of which something is left."""
    key = KEYS.of(partition_of(person), CONTACT)
    query = KeyQuery(KEYS, partition_of(person), forward=True)
    rows = CONTACTS.query(query, limit=MOST_ROWS, consistent=True).items
    contact = next((row for row in rows if _key(row) == key), key)
    return [contact, *(row for row in rows if _key(row) != key and not row.keys() <= EMPTY)]


def _fence(found: Item, event: DomainEvent) -> None:
    """Put a fence in place of a contact, unless it is another one by now. No digest of an address stays."""
    version = found.get("version", 0) + 1
    stamp = {"timestamp": max(event.timestamp_ms, found.get("timestamp", 0) + 1), "changedBy": actor_of(event)}
    fence = {**_key(found), "version": version, "since": found.get("since", version), **stamp, "deleted": True}
    as_found = Condition("#version = :version", {"version": "version"}, {"version": version - 1})
    with suppress(ConditionFailed):
        CONTACTS.put(fence, condition=as_found if version > 1 else CONTACTS.absent)


def _key(row: Item) -> Item:
    return {name: row[name] for name in KEYS.names}
