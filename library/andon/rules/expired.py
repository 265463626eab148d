"""The expiry of a row -> the fact that the row asked for: its last one, under another type. Pure."""

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ATTRIBUTE, EXPIRE
from andon.events.actor import TTL, actor_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact, Meanings
from andon.events.hops import hops_after
from andon.rules.stored_event import EVENT


def expired(row: Item, of: Meanings) -> Fact | None:
    """Return the fact of a row that the TTL service removed; None if the row did not ask for one.

    The attribute `expire` is the type of the fact, or True: `<entity>-expired`. Its timestamp is the row's ttl, its
    actor the TTL service, whoever wrote the row.
    """
    wanted = row.get(EXPIRE)
    if not wanted:
        return None  # most expiry is housekeeping, not a fact
    inserted = Change("INSERT", old=None, new=row)
    last = _fact_in(row) if row["discriminator"] == EVENT else of[row["discriminator"]](inserted)
    if last is None:
        return None
    fact_type = f"{last.entity_name}-expired" if wanted is True else wanted
    return last._replace(type=fact_type, timestamp_ms=row[ATTRIBUTE] * 1000, actor=TTL)


def _fact_in(row: Item) -> Fact:
    """Return the fact of the stored event."""
    event = DomainEvent.from_wire(row["event"])
    # A row from before it had the name has none; such an event had one entity.
    name = row.get("entity") or next(iter(event.entities))
    return Fact(
        type=event.type,
        timestamp_ms=event.timestamp_ms,
        partition_key=event.partition_key,
        entity_name=name,
        entity=event.entity(name).fields,
        actor=actor_of(event),
        hops=hops_after(event),
    )
