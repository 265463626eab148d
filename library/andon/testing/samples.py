"""A project's messages under `events/`: `<kind>/<name>.json`, of which an older shape is `<type>.v<n>.json`."""

import json
import re
from pathlib import Path
from typing import Final

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.project import project
from andon.runtime.json_types import JsonObject

EVENTS: Final = project().events


def paths(kind: str) -> list[Path]:
    """Find every sample of a kind: `http`, `stream`, `domain`, `push`, `queue`."""
    return sorted((EVENTS / kind).glob("*.json"))


def sample(kind: str, name: str) -> JsonObject:
    """Read `events/<kind>/<name>.json`."""
    return read(EVENTS / kind / f"{name}.json")


def read(path: Path) -> JsonObject:
    """Read a sample."""
    message: JsonObject = json.loads(path.read_text())
    return message


def topic_of(path: Path) -> Topic:
    """Return the source and type of a domain sample."""
    return read(path)["tags"]["source"], type_of(path)


def type_of(path: Path) -> str:
    """Return the type of a domain or stream sample."""
    return path.name.split(".", maxsplit=1)[0]


def is_of_old(path: Path) -> bool:
    """Return true if a sample has an older shape of its type, which consumers still read."""
    return re.fullmatch(r".*\.v\d+", path.stem) is not None


def body_of(event: DomainEvent, source: str | None = None) -> str:
    """Write the queue's message of an event."""
    return to_message(event, source=source or event.tags["source"])
