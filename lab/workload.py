"""The work of all clients: the samples of one report, about other equipment, at the present time."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypedDict, TypeVar
from unittest.mock import patch

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.ttl import ATTRIBUTE, ttl_at
from andon.events.domain_event import DomainEvent
from andon.project import project
from andon.rules.stored_event import StoredEvent, sort_of
from andon.rules.timing import Due, partition_of, shard_of
from andon.runtime import clock, times
from andon.runtime.clock import MINUTE_MS
from andon.testing.lambda_events import bus_message, sqs_event
from andon.views.view_update import oplock_attribute
from contract import logs
from lab.server import Stored
from services.dispatch import tables
from services.dispatch.rules import silence

EVENTS: Final = 100
PAGE: Final = 10  # rows that a query of the view finds

SAMPLES: Final = project().root / "events"
LAST: Final = "9999999999999#"

Item = TypeVar("Item")


class Workload(TypedDict):
    """The input of every work, one element an event: bodies of a queue's messages, records of a stream, requests."""

    messages: list[str]
    records: list[dict[str, Any]]
    put_state: list[dict[str, Any]]
    get_logs: list[dict[str, Any]]


def workload(now_ms: int) -> Workload:
    """Return the same reports, once as each handler gets them."""
    return {
        "messages": reported(range(EVENTS), now_ms=now_ms),
        "records": [_record(number, now_ms + number) for number in range(EVENTS)],
        "put_state": [_put_state(number, now_ms) for number in range(EVENTS)],
        "get_logs": [_sample("http/get-logs")] * EVENTS,
    }


def stored(now_ms: int, *, followed_by: int = 0) -> Stored:
    """Return the rows that are read: a page of logs, and the timers of equipment, each with the report it is at.

    followed_by: the number of later reports, five minutes apart; without any the equipment is silent.
    """
    partitions: dict[str, list[dict[str, Any]]] = {"d#12345": [_log(number, now_ms) for number in range(PAGE)]}
    for number in range(EVENTS):
        report = stored_report(f"d#{number}", "NORMAL", now_ms - silence.AFTER_MS - 60_000)
        followers = [
            stored_report(f"d#{number}", "NORMAL", report.event.timestamp_ms + later * 5 * MINUTE_MS)
            for later in range(followed_by, 0, -1)
        ]
        partitions[report.key] = [to_typed(one.row(tables.KEYS)) for one in (*followers, report)]
        partitions.setdefault(partition_of(shard_of(report.key)), []).append(_due(report))
    return {"partitions": partitions}


NEWER: Final = {oplock_attribute("reported"): {"S": LAST}}
"""The row in the way of every update: something newer has been written to it."""

TTL_AHEAD: Final = {ATTRIBUTE: {"N": "9999999999"}}
"""The row in the way of every update that would move its ttl back."""


def reported(equipment: Iterable[object], *, now_ms: int) -> list[str]:
    """Return the messages of one report each, in this order of time."""
    return [_message(number, name, now_ms + number) for number, name in enumerate(equipment)]


def split(some: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """Return a sequence in parts of a size."""
    return [some[start : start + size] for start in range(0, len(some), size)]


def batches(bodies: Sequence[str], size: int) -> list[dict[str, Any]]:
    """Return messages in the batches of a queue."""
    return [*map(sqs_event, split(bodies, size))]


def _message(number: int, equipment: object, at_ms: int) -> str:
    sample = _sample("domain/state-reported")
    state = sample["state"] | {"equipmentId": f"d#{equipment}", "timestamp": times.to_utc(at_ms)}
    event = sample | {"id": f"{number:032x}", "timestamp": at_ms, "state": state}
    return bus_message(DomainEvent.from_wire(event), source="equipment")


def _record(number: int, at_ms: int) -> dict[str, Any]:
    (record,) = _sample("stream/state-reported")["Records"]
    key = {"pk": {"S": f"Equipment#d#{number}"}, "sk": {"S": times.to_utc(at_ms)}}
    image = record["dynamodb"]["NewImage"] | key
    image |= {"equipmentId": {"S": f"d#{number}"}, "timestamp": key["sk"]}
    change = record["dynamodb"] | {"Keys": key, "NewImage": image}
    return {**record, "eventID": f"{number:032x}", "dynamodb": change}


def _put_state(number: int, now_ms: int) -> dict[str, Any]:
    event: dict[str, Any] = _sample("http/report-state")
    path = {"id": f"d#{number}", "timestamp": times.to_utc(now_ms)}
    event["requestContext"]["authorizer"]["jwt"]["claims"]["username"] = path["id"]
    raw = f"/equipment/{path['id']}/states/{path['timestamp']}"
    event["requestContext"]["http"]["path"] = raw
    return event | {"rawPath": raw, "pathParameters": path}


def _log(number: int, now_ms: int) -> dict[str, Any]:
    at_ms = now_ms - number
    date = times.to_utc(at_ms)
    row = {
        "DeviceID": "d#12345",
        "State#Date": f"WARNING1#{date}",
        "State": "WARNING1",
        "Date": date,
        "Detail": "spindle at 81 °C",
        "Operator": "op-17",
        oplock_attribute("reported"): f"{at_ms:013d}#{number:032x}",
        oplock_attribute("assigned"): f"{at_ms:013d}#{number:032x}",
        ATTRIBUTE: ttl_at(at_ms, logs.TTL_DAYS),
    }
    return to_typed(row)


def stored_report(equipment_id: str, state: str, at_ms: int) -> StoredEvent:
    """Return the report of a state as dispatch stores it."""
    event = DomainEvent(
        id=f"{at_ms:032x}",
        type="state-reported",
        timestamp_ms=at_ms,
        partition_key=equipment_id,
        entities={"state": {"equipmentId": equipment_id, "state": state, "timestamp": times.to_utc(at_ms)}},
    )
    key, sort = tables.partition_of(equipment_id), sort_of(at_ms, state)
    ttl = ttl_at(at_ms, logs.TTL_DAYS)
    return StoredEvent(source="equipment", event=event, arrived_ms=at_ms, key=key, sort=sort, ttl=ttl)


@contextmanager
def undisturbed(now_ms: int) -> Iterator[None]:
    """Let it be `now_ms`, and what handlers log go nowhere."""
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), patch.object(clock, "now_ms", lambda: now_ms):
        yield


@dataclass(slots=True)
class InsteadOfAws:
    """`call` is `aws.call` without a network and a client: a query finds what its partition has `stored`."""

    stored: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    requests: int = 0

    def call(self, _: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Count, and respond as AWS does."""
        self.requests += 1
        match operation:
            case "query":
                return {"Items": self.stored[request["ExpressionAttributeValues"][":p"]["S"]]}
            case "put_events":
                return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}] * len(request["Entries"])}
        return {}


def _due(report: StoredEvent) -> dict[str, Any]:
    due = Due(
        at_ms=report.event.timestamp_ms + silence.AFTER_MS,
        key=report.key,
        anchor=report.sort,
        rules=(silence.SILENT_RULE.id,),
        ttl=report.ttl,
    )
    return to_typed(due.row(tables.KEYS))


def _sample(name: str) -> Any:  # noqa: ANN401  JSON
    return json.loads((SAMPLES / f"{name}.json").read_text())
