"""The lake and the archive in one process: events at the times at which the bus took them, and runs of the sweep."""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.packages.discovery import stores
from andon.runtime import times
from andon.stores.archive.store import BUCKET, LAKE
from andon.testing.loop import Loop
from andon.wire.bucket import Bucket
from tests.support.samples import NOW, fact

(ARCHIVE,) = (package for package in stores() if package.name == "archive")

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000

EQUIPMENT_ROUTE, OPERATOR_ROUTE = "GET /archive/equipment/{id}", "GET /archive/operators/{operator}"
EVER = {"from": "2019-01-01", "to": "2020-12-31"}

TODAY = "2020-04-28"  # the day of NOW


def line_of(event: DomainEvent, *, at_ms: int = NOW, source: str | None = None) -> str:
    """Return the line of an event that the bus took at `at_ms`."""
    bus_id = str(uuid5(NAMESPACE_URL, f"{source}/{event.id}/{at_ms}"))
    taken = {"id": bus_id, "time": f"{times.to_utc(at_ms)[:19]}Z"}
    return to_message(event, source=source or event.tags["source"], bus_event=taken)


def report_of(equipment_id: str, *, at_ms: int = NOW, event_id: str, **entity: object) -> DomainEvent:
    """Return the event of a report."""
    report = fact("state-reported", id=event_id, at=at_ms, equipmentId=equipment_id, **entity)
    return report._replace(partition_key=equipment_id)


def keys_in(variable: str, prefix: str = "") -> list[str]:
    """List the keys of a bucket that begin with `prefix`."""
    return [*Bucket(variable).keys(prefix)]


def clear() -> None:
    """Empty the lake and the archive."""
    for variable in (BUCKET, LAKE):
        for key in keys_in(variable):
            Bucket(variable).remove(key)


def sweep(loop: Loop) -> None:
    """Run the sweep once."""
    loop.invoke(ARCHIVE, "sweep", {})


def happened_to(loop: Loop, equipment_id: str, **query: str) -> list[dict[str, Any]]:
    """Return all pages of the archive about a piece of equipment."""
    items: list[dict[str, Any]] = []
    while True:
        answer = loop.request(EQUIPMENT_ROUTE, path={"id": equipment_id}, query=query)
        assert answer.status == 200, answer
        items += answer.body["items"]
        if "cursor" not in answer.body:
            return items
        query["cursor"] = answer.body["cursor"]
