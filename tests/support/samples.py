"""The factory's samples, and facts made of them."""

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.testing.samples import EVENTS, body_of, paths, sample

__all__ = ["EVENTS", "NOW", "body_of", "fact", "paths", "sample"]

# Two days behind the newest sample, well before any of them expires.
NOW = times.to_ms("2020-04-28T00:00:00Z")


def fact(name: str, /, *, id: str | None = None, at: int | None = None, **entity: object) -> DomainEvent:  # noqa: A002
    """Read a domain event, with another id, time or other fields of its entity."""
    wire = sample("domain", name)
    (entity_name,) = DomainEvent.from_wire(wire).entities
    wire[entity_name] = {**wire[entity_name], **entity}
    return DomainEvent.from_wire(wire | {"id": id or wire["id"], "timestamp": wire["timestamp"] if at is None else at})
