"""A project's messages under `events/`: `<kind>/<name>.json`, of which an older shape is `<type>.v<n>.json`."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.packages.discovery import views
from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.testing.lambda_events import http_event

EVENTS: Final = project().events
HTTP: Final = "http"
BEGINNING_MS: Final = 1_767_258_000_000  # 2026-01-01T09:00Z


def paths(kind: str) -> list[Path]:
    """Find every sample of a kind: `http`, `stream`, `domain`, `push`, `queue`.

    Requests to the stores are the library's: they are built into `.local/events/`, unless the project keeps its own.
    """
    own = sorted((EVENTS / kind).glob("*.json"))
    return own if kind != HTTP else [*own, *_built_but({read(path)["routeKey"] for path in own})]


def _built_but(kept: set[str]) -> list[Path]:
    return [path for route, path in _built().items() if route not in kept]


@cache
def _built() -> dict[str, Path]:
    found = {}
    for name, request in of_stores().items():
        path = project().local / "events" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(request))
        found[str(request["routeKey"])] = path
    return found


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


def text_of(sample: JsonObject) -> str:
    """Return a sample as its file has it."""
    return json.dumps(sample, indent=2, ensure_ascii=False) + "\n"


def _of_stores() -> Iterator[tuple[str, JsonObject]]:
    """Yield a request for each route of the stores, which are the library's and stand in each project."""
    subjects = project().subjects
    archive = f"/archive/{subjects.name}/{{{subjects.parameter}}}"
    subject, days = {subjects.parameter: subjects.example or "one"}, {"from": "2026-01-01", "to": "2026-01-02"}
    view = views()[0].name if views() else project().example_view
    job, fault, replay = {"job": "0" * 32}, {"id": "0" * 64}, {"id": "0" * 32}
    yield from {
        "get-archive": http_event(f"GET {archive}", path=subject, query=days),
        "post-rehydration": http_event(f"POST {archive}/rehydrations", path=subject, body=days),
        "get-rehydration": http_event(f"GET {archive}/rehydrations/{{job}}", path=subject | job),
        "get-faults": http_event("GET /faults"),
        "get-fault": http_event("GET /faults/{id}", path=fault),
        "resubmit-fault": http_event("POST /faults/{id}/resubmit", path=fault),
        "get-drift": http_event("GET /drift"),
        "post-recomputation": http_event("POST /drift/{view}", path={"view": view}),
        "post-replay": http_event("POST /replays", body={"view": view}),
        "get-replay": http_event("GET /replays/{id}", path=replay),
    }.items()
    for verb in ("pause", "resume", "cancel"):
        yield f"{verb}-replay", http_event(f"POST /replays/{{id}}/{verb}", path=replay)


def of_stores() -> dict[str, JsonObject]:
    """Return a request for each route of the stores, but for other kinds of actors than subjects."""
    found = {f"http/{name}.json": event for name, event in _of_stores()}
    for event in found.values():
        event["requestContext"]["timeEpoch"] = BEGINNING_MS
    return found
