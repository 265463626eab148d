"""The messages under `events/`, and what is made of them: one loader for all tests."""

import json
from pathlib import Path
from typing import Any

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.runtime import times

EVENTS = Path(__file__).parents[2] / "events"

# Two days behind the newest sample, well before any of them expires.
NOW = times.to_ms("2020-04-28T00:00:00Z")


def paths(kind: str) -> list[Path]:
    """Find every sample of a kind: `http`, `stream`, `domain`."""
    return sorted((EVENTS / kind).glob("*.json"))


def sample(kind: str, name: str) -> dict[str, Any]:
    """Read `events/<kind>/<name>.json`."""
    message: dict[str, Any] = json.loads((EVENTS / kind / f"{name}.json").read_text())
    return message


def fact(name: str, /, *, id: str | None = None, at: int | None = None, **entity: object) -> DomainEvent:  # noqa: A002
    """Read a domain event, with another id, time or other fields of its entity."""
    wire = sample("domain", name)
    (entity_name,) = DomainEvent.from_wire(wire).entities
    wire[entity_name] = {**wire[entity_name], **entity}
    return DomainEvent.from_wire(wire | {"id": id or wire["id"], "timestamp": wire["timestamp"] if at is None else at})


def body_of(event: DomainEvent, source: str | None = None) -> str:
    """Write the queue's message of an event."""
    return to_message(event, source=source or event.tags["source"])
