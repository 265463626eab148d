"""The permissions that the handlers use while samples are replayed."""

import copy
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from andon.content.contents import Content, row_of
from andon.dynamodb.attribute_values import to_typed
from andon.events.bus_entry import to_message
from andon.events.change_data_capture import TTL_SERVICE
from andon.events.domain_event import DomainEvent
from andon.events.fault import fault_of
from andon.events.group import body_of
from andon.live import connection
from andon.packages.discovery import packages, recomputed, restorers, services, views
from andon.packages.package import Package
from andon.rules.due import DUE
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.rule import RULE
from andon.runtime import times
from andon.runtime.errors import Poison
from andon.testing.drift import forge, keep_in_lake, rows_of
from andon.testing.lambda_events import http_event, provisioning_event, sqs_event
from andon.testing.loop import REPLAYS, Loop
from andon.testing.permissions import UsedPermission, used_by
from andon.testing.replayable import Invocation, invocations_of, readers_of, time_of
from andon.testing.samples import is_of_old, read, topic_of
from andon.testing.wire import Wire
from andon.views.oplocked_fields import OPLOCK
from andon.wire import aws
from contract import factories
from demo.people import LIZ
from services.dispatch.tables import KEYS, TABLE, partition_of
from tests.support.anomalies import model_content, put_model
from tests.support.archive import ARCHIVE, DAY_MS, EQUIPMENT_ROUTE, OPERATOR_ROUTE, line_of
from tests.support.samples import NOW, fact, paths, sample

MACHINES = ("d#12345",)
"""Those of the sample of a report, in a state that the model does not know of them."""

FACTORY = "gdl-1"
"""That of the sample of a roster."""

ANOTHER = "another"

LAKE = "lake"  # it writes all facts of a message, or none


def by_file() -> dict[str, set[UsedPermission]]:
    """Gather what each handler file asks for: all samples, again as retries with answers lost, and what is poison.

    Commands come once more with an If-Match for things that do not exist.
    """
    asked: dict[str, set[UsedPermission]] = defaultdict(set)
    connection._origin_of_account.cache_clear()  # noqa: SLF001  a process asks once
    with Loop() as loop, Wire() as wire:
        put_model(loop, model_content(*MACHINES, states={}))
        for machine in MACHINES:  # a rule without a roster reads nothing
            row = {**factories.key_of(KEYS, partition_of(machine)), "factoryId": FACTORY}
            aws.client("dynamodb").put_item(TableName=TABLE.name, Item=to_typed(row))
        for operation in ("", "TransactWriteItems", "PutItem"):
            wire.lose_answers(operation, times=1)
            for invocation, at_ms in _invocations(loop, wire):
                file = f"{invocation.package.side}/{invocation.package.name}/{invocation.role}"
                asked[file] |= used_by(invocation, at_ms=at_ms)
        loop.new_messages()
    return asked


def _others(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a request about nothing, and one by a caller who is at a place: where things are is read for no other."""
    yield _of_nothing(message)
    limited = copy.deepcopy(message)
    if claims := limited["requestContext"].get("authorizer", {}).get("jwt", {}).get("claims"):
        claims["cognito:groups"] = claims["cognito:groups"].removesuffix("]") + f" at:{FACTORY}]"
        yield limited


def _invocations(loop: Loop, wire: Wire) -> Iterator[tuple[Invocation, int]]:
    for kind in ("stream", "push", "domain", "queue", "http"):  # what is asked for is there
        for path in paths(kind):
            message = json.loads(path.read_text())
            yield from ((invocation, time_of(message)) for invocation in readers_of(message))
            for other in _others(message) if kind == "http" else ():
                yield from ((invocation, time_of(message)) for invocation in invocations_of(other))
    for package in (package for package in packages() if package.plays("listener")):
        yield Invocation(package, "listener", sqs_event(["{"])), NOW
        yield from _resubmission(package)
        yield from _groups(package, wire)
    for follower in packages():
        arn = "arn:aws:dynamodb:us-east-1:000000000000:table/x/stream/1"
        unreadable = {"eventID": "1", "eventName": "INSERT", "eventSourceARN": arn, "dynamodb": {"NewImage": "?"}}
        for role in {"trigger", "push"} & {*follower.roles}:
            yield Invocation(follower, role, {"Records": [unreadable]}), NOW
    for service in services():
        if service.plays("sweep"):
            yield from _decisions(service, loop, wire)
        yield from _crossings(service, loop)
        yield from _contents(service)
    yield from _by_claim()
    yield from _archive(loop)
    yield from _replays(loop)
    for view in recomputed():
        yield from _recomputation(view, loop)


def _recomputation(view: Package, loop: Loop) -> Iterator[tuple[Invocation, int]]:
    """Let a view be compared with what is recorded: a wrong row of its events, and one of nothing."""
    at_ms = NOW - DAY_MS
    events = [_of_another(sample)._replace(timestamp_ms=at_ms) for sample in _samples_for(view)]
    of_nothing = [one._replace(id=f"of nothing {one.id}", partition_key="of nothing") for one in events]
    lines = [line_of(one, at_ms=at_ms) for one in (*events, *of_nothing)]
    keep_in_lake(lines)
    yield Invocation(view, "listener", sqs_event(lines[: len(events)])), NOW
    row = next(row for row in rows_of(loop, view) if ANOTHER in row.values())
    ahead = {name: "4102444800000#a wrong clock" for name in row if name.startswith(OPLOCK)}
    for one in (row | ahead, dict.fromkeys(view.view.KEYS.names, "of nothing") | ahead):
        forge(loop, view, one)
    asking = http_event("POST /drift/{view}", path={"view": view.name})
    yield Invocation(Package("stores", "drift"), "command", asking), NOW
    yield Invocation(view, "recompute", {}), NOW
    yield Invocation(view, "recompute", sqs_event(loop.to_recompute(view))), NOW


def _samples_for(view: Package) -> list[Path]:
    return [path for path in paths("domain") if topic_of(path) in view.subscriptions and not is_of_old(path)]


def _of_another(sample: Path) -> DomainEvent:
    """Return the event of a sample, about something of which there is no other event."""
    text = sample.read_text()
    return DomainEvent.from_wire(json.loads(text.replace(json.loads(text)["partitionKey"], ANOTHER)))


def _resubmission(package: Package) -> Iterator[tuple[Invocation, int]]:
    """Let the fault store keep a fault of a package, and put its message back on the queue."""
    store = Package("stores", "faults")
    for role in {"listener", "ingest"} & {*package.roles} if package.side != "stores" else ():
        fault = fault_of(Poison("no"), "{", consumer=f"{package.name}.{role}", now_ms=NOW)
        yield Invocation(store, "listener", sqs_event([to_message(fault, source=package.name)])), NOW
        event = http_event("POST /faults/{id}/resubmit", path={"id": fault.id})
        yield Invocation(store, "command", event), NOW


def _groups(package: Package, wire: Wire) -> Iterator[tuple[Invocation, int]]:
    """Let a group come to a package, of which one fact can be used, and another one not even as a fault."""
    readers = {"listener": package.subscriptions, "sender": package.gateway.on if package.plays("sender") else ()}
    for role, topics in readers.items() if package.name != LAKE else ():
        samples = [read(path) for path in paths("domain") if topic_of(path)[1] in {kind for _, kind in topics}]
        for known in samples[:1]:
            source, _, _ = known["tags"]["source"].partition(".")  # that of a fault is its consumer
            one = to_message(DomainEvent.from_wire(known), source=source)
            if package.side != "stores" and role == "listener":
                wire.fail("PutEvents", "ValidationException", times=1)
            odd = json.dumps({**json.loads(one), "detail": {}})
            yield Invocation(package, role, sqs_event([body_of([one, odd])])), known["timestamp"]


def _of_nothing(message: dict[str, Any]) -> dict[str, Any]:
    """Return a request with a version of something that does not exist."""
    path = {**message.get("pathParameters", {}), **({"id": "nothing"} if "{id}" in message["routeKey"] else {})}
    return {**message, "pathParameters": path, "headers": {**message["headers"], "if-match": '"7"'}}


def _decisions(service: Package, loop: Loop, wire: Wire) -> Iterator[tuple[Invocation, int]]:
    """Let a control service decide upon the rows of the samples, first all that are due by `NOW`, then each in turn.

    The first decision that the sweep puts is refused, so that there is a fault to publish. What an event far ahead
    makes due is put anew in steps, and its event is gone if a sweep comes long behind one.
    """
    for table, schema in service.tables.items():
        if schema.stream:
            yield Invocation(service, "trigger", {"Records": loop.new_records(table)}), NOW
    wire.fail("PutItem", "ValidationException", when=lambda put: RULE in put["Item"], times=1)
    settled_ms: int | None = NOW
    while settled_ms is not None:
        yield Invocation(service, "sweep", {}), settled_ms + STORED_WITHIN_MS
        rows = [row for table in service.tables for row in loop.rows(table) if row.get("discriminator") == DUE]
        settled_ms = min((row["at"] for row in rows if row["at"] > settled_ms), default=None)


def _contents(service: Package) -> Iterator[tuple[Invocation, int]]:
    """Let the TTL service remove the row of a content."""
    if service.contents is None:
        return
    row = row_of(Content("0" * 64, "image/png", 1, "Acme"), now_ms=NOW)
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/x/stream/1"
    removed = {"eventID": "1", "eventName": "REMOVE", "eventSourceARN": arn, "dynamodb": {"OldImage": to_typed(row)}}
    by_ttl = {**removed, "userIdentity": {"type": "Service", "principalId": TTL_SERVICE}}
    yield Invocation(service, "trigger", {"Records": [by_ttl]}), NOW


def _by_claim() -> Iterator[tuple[Invocation, int]]:
    """Let somebody ask by a claim to be a machine that is registered."""
    body = sample("http", "register-equipment")["body"]
    registered = http_event("PUT /equipment/{id}", path={"id": "press-8"}, body=body)
    yield from ((invocation, NOW) for invocation in invocations_of(registered))
    asked = provisioning_event("Andon_equipment", {"Name": "press-8"})
    yield from ((Invocation(one, "provision", asked), NOW) for one in services() if one.plays("provision"))


def _crossings(service: Package, loop: Loop) -> Iterator[tuple[Invocation, int]]:
    """Let edits of another version come after the TTL service took the rows that they are about."""
    samples = [json.loads(path.read_text()) for path in paths("domain")]
    edits = [one for one in samples if (one["tags"]["source"], one["type"]) in service.latched]
    for table, schema in service.tables.items():
        for row in loop.rows(table) if edits and schema.stream else ():
            key = {name: row[name] for name in schema.keys.names}
            aws.client("dynamodb").delete_item(TableName=table, Key=to_typed(key))
    for edit in edits:
        message = to_message(DomainEvent.from_wire(edit), source=edit["tags"]["source"])
        yield Invocation(service, "listener", sqs_event([message])), edit["timestamp"]


def _archive(loop: Loop) -> Iterator[tuple[Invocation, int]]:
    """Let the archive keep and write again a day of long ago, and bring it back, twice."""
    at_ms, wanted = NOW - 40 * DAY_MS, {"from": "2020-01-01", "to": "2020-04-01"}
    for number in range(3):
        report = fact("state-reported", id=f"report {number}", at=at_ms, timestamp=times.to_utc(at_ms))
        image = {**(report.raw or {})["new"], "sk": times.to_utc(at_ms)}
        keep_in_lake([line_of(report._replace(raw={"new": image, "old": None}), at_ms=at_ms + number)])
        keep_in_lake([line_of(fact("operator-assigned", id=f"assignment {number}", at=at_ms), at_ms=at_ms + number)])
        yield Invocation(ARCHIVE, "sweep", {}), NOW
    yield Invocation(ARCHIVE, "query", http_event(OPERATOR_ROUTE, path={"operator": LIZ}, query=wanted)), NOW
    path = {"id": report.partition_key}
    yield Invocation(ARCHIVE, "query", http_event(EQUIPMENT_ROUTE, path=path, query=wanted)), NOW
    for now_ms in (NOW, NOW + DAY_MS):
        route = "POST /archive/equipment/{id}/rehydrations"
        yield Invocation(ARCHIVE, "command", http_event(route, path=path, body=wanted)), now_ms
        waiting = loop.asked_of_archive()
        yield Invocation(ARCHIVE, "listener", sqs_event(waiting)), now_ms
        for package in (package for package in restorers() if package.plays("restore")):
            yield Invocation(package, "restore", sqs_event(loop.restoring(package))), now_ms
        query = http_event(f"GET{route[4:]}/{{job}}", path={**path, "job": json.loads(waiting[0])["job"]})
        yield Invocation(ARCHIVE, "query", query), now_ms


def _replays(loop: Loop) -> Iterator[tuple[Invocation, int]]:
    """Let the lake be replayed to every view, and to one at so low a rate that it does not end at once."""
    for view in views():
        for rate in (1, 900):
            begin = http_event("POST /replays", body={"view": view.name, "rate": rate}, subject=f"{view.name} {rate}")
            yield Invocation(REPLAYS, "command", begin), NOW
            for _ in ("days", "objects"):
                yield Invocation(REPLAYS, "listener", sqs_event(loop.asked_of_replays())), NOW
    loop.asked_of_replays()
