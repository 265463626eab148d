"""A view in objects of the library's own: the books of each shelf and day, which are put, moved and lent."""

import json
from typing import Any, Final

from andon.dynamodb.attribute_values import Attributes, Item
from andon.events.bus_entry import Replay, to_message, to_replayed
from andon.events.domain_event import DomainEvent
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.testing.memory.one_bucket import OneBucket
from andon.views.materialize import Listener, materialize
from andon.views.object_rows import ObjectKeys
from andon.views.object_table import ObjectTable
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import OnObjects, ViewUpdates, entered
from toys.clock import NOW

TTL_DAYS: Final = 10
VARIABLE: Final = "SHELVES_BUCKET"
KEYS: Final = ObjectKeys("shelf", "day", about="book")
SHELVES: Final = ObjectTable(VARIABLE, KEYS)
DAY: Final = "2026-11-23"


def key_of(book: str, shelf: object, day: object = DAY) -> Attributes:
    return KEYS.of(str(shelf), str(day), book)


def on_put(event: DomainEvent) -> ViewUpdates:
    """Keep where it is, and that it is not where it was."""
    put = event.entity("put")
    update = ViewUpdate(
        key=key_of(put.text("book"), put.text("shelf")),
        fields={"by": put.get("by"), "note": put.get("note")},
        oplock="put",
    )
    return entered(update, *(key_of(put.text("book"), shelf) for shelf in put.get("left") or ()))


def on_lent(event: DomainEvent) -> ViewUpdate:
    """Keep to whom it was lent on that day, from where it stands."""
    loan = event.entity("loan")
    return ViewUpdate(key=key_of(loan.text("book"), loan.text("shelf")), fields={"to": loan.get("to")}, oplock="loan")


ON: Final[OnObjects] = {("library", "book-put"): on_put, ("library", "book-lent"): on_lent}
VIEW: Final = Listener(name="shelves", table=SHELVES, on=ON, ttl_days=TTL_DAYS)


def put(book: str, shelf: str, *left: str, at: int = NOW, id: str = "", **fields: object) -> DomainEvent:  # noqa: A002
    """The event that a book was put on a shelf, and where it stood before."""
    said = {"book": book, "shelf": shelf, "left": [*left], **fields}
    return DomainEvent(id or f"{book} to {shelf}", "book-put", at, book, {"put": said})


def lent(book: str, shelf: str, to: str, *, at: int = NOW) -> DomainEvent:
    said = {"book": book, "shelf": shelf, "to": to}
    return DomainEvent(f"{book} to {to}", "book-lent", at, book, {"loan": said})


def deliver(*events: DomainEvent, replay: Replay | None = None) -> list[str]:
    """Deliver a batch; return the ids of the messages that are to come again."""
    bodies = [to_message(event, source="library") for event in events]
    if replay is not None:
        bodies = [to_replayed(json.loads(body), replay) for body in bodies]
    answer = materialize(sqs_event(bodies), LocalContext("shelves-listener"), listener=VIEW)
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def bodies(memory: OneBucket) -> dict[str, bytes]:
    """Return a copy of all objects."""
    return dict(memory.store[VARIABLE].bodies)


def shown(*, now_ms: int = NOW) -> dict[str, list[Item]]:
    """Return what readers see, by shelf; each book without its keys and oplocks."""
    groups = list(SHELVES.groups())
    return {group[0]: [_said(row) for row in rows] for group in groups if (rows := SHELVES.shown(group, now_ms=now_ms))}


def _said(row: Item) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in {"shelf", "day", "ttl"} and "#" not in name}
