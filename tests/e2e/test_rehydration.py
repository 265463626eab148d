"""Expired rows on the deployed stack: gone, asked for over HTTP, there again; and no event tells of it."""

import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import pytest

from andon.dynamodb.attribute_values import Item, to_plain, to_typed
from andon.events.bus_entry import from_message
from andon.packages.discovery import owner_of_route, subscribers_of
from andon.packages.package import Package
from andon.recorded import lake
from andon.rules.collect import Collected
from andon.runtime import times
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import http_event, sqs_event
from andon.tools.listings import keys_in
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.views.outcome import Outcome
from contract import groups
from demo.people import LIZ
from services.dispatch import control
from services.dispatch.tables import TABLE
from tests.support.deployed.tables import in_this_process
from tests.support.services.reports import ASSIGN, REPORT

MINUTE_MS: Final = 60_000
DAY_MS: Final = 24 * 60 * MINUTE_MS

NOT_REAPED, REAPED = "press-that-is-not-reaped-yet", "press-that-is-reaped"
MACHINES: Final = (NOT_REAPED, REAPED)
EVENTS: Final = 3
"""Per machine: two reports, an assignment."""

CONTEXT: Final = LocalContext("then")
LISTENERS: Final = {Package("views", "state_log"), Package("services", "dispatch")}
LISTS: Final = ("logs", "states", "episodes")
NOTHING: Final[dict[str, Any]] = {"logs": [], "states": [], "episodes": []}
ALL: Final = {
    "logs": [("NORMAL", None), ("WARNING1", LIZ)],
    "states": ["NORMAL", "WARNING1"],
    "episodes": [["state-reported", "state-reported", "operator-assigned"]],
}
KEYS: Final = {  # output that names a table -> its keys; the value of the first begins with the second
    "StateLogTable": (("DeviceID", "State#Date"), ""),
    "EquipmentTable": (("pk", "sk"), "Equipment#"),
    "DispatchTable": (("pk", "sk"), "Equipment#"),
}


class Lake:
    """The events that came to the lake since this was made, by subject."""

    def __init__(self, stack: Stack) -> None:
        self._s3, self._bucket = stack.client("s3"), stack.outputs["LakeBucket"]
        self._lines: dict[str, list[str]] = {key: [] for key in self._keys()}

    def about(self, equipment_id: str) -> list[str]:
        """Return the lines about a piece of equipment."""
        for key in self._keys():
            if key not in self._lines:
                body = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
                self._lines[key] = [*lake.lines_of(body)]
        lines = (line for lines in self._lines.values() for line in lines)
        return [line for line in lines if json.loads(line)["detail"].get("partitionKey") == equipment_id]

    def _keys(self) -> Iterator[str]:
        return keys_in(self._s3, self._bucket, f"{lake.EVENTS}/")


def call(route: str, **parts: Any) -> Any:  # noqa: ANN401  a response's body
    """Call a route's handler in this process."""
    package, role = owner_of_route(route)
    response = package.handler(role)(http_event(route, **parts), CONTEXT)
    assert response["statusCode"] < 300, response
    return json.loads(response["body"])


def happen_to(equipment_id: str, long_ago_ms: int) -> None:
    """Let a machine warn, somebody be assigned, and the machine be well again; the clock stands still meanwhile."""
    first, last = (times.to_utc(long_ago_ms - minutes * MINUTE_MS) for minutes in (10, 5))
    call(REPORT, path={"id": equipment_id, "timestamp": first}, body={"state": "WARNING1"})
    log = {"id": equipment_id, "state": "WARNING1", "timestamp": first}
    call(ASSIGN, path=log, body={"operator": LIZ})
    call(REPORT, path={"id": equipment_id, "timestamp": last}, body={"state": "NORMAL"})


def take_in(messages: Sequence[str], *, now_ms: int) -> None:
    """Keep events in this process as was done then; the deployed functions saw that they had expired on arrival."""
    for body in messages:
        delivery = from_message(body)
        for package in LISTENERS.intersection(subscribers_of(delivery.source, delivery.event.type)):
            assert package.handler("listener")(sqs_event([body]), CONTEXT) == {"batchItemFailures": []}
        if delivery.source == control.RULES.source:  # as the trigger remembers an own fact
            key = control.correlation_key_in(delivery.event)
            own = Collected.of(delivery.event, key=key, source=delivery.source, ttl_days=control.CONTROL.ttl_days)
            assert own.write(TABLE, delivery.event, now_ms=now_ms) is Outcome.APPLIED


def shown(stack: Stack, equipment_id: str) -> dict[str, Any]:
    """Return the rows as clients see them, over HTTP."""
    api = stack.api(groups.ADMIN)
    logs, states, episodes = (api.get(path_of("equipment", equipment_id, name)).json["items"] for name in LISTS)
    return {
        "logs": sorted((log["state"], log.get("operator")) for log in logs),
        "states": [report["state"] for report in states],
        "episodes": [[entry["type"] for entry in episode["story"]] for episode in episodes],
    }


def rows(stack: Stack, table: str, equipment_id: str) -> list[Item]:
    """Return all rows about a machine that expire."""
    (partition, _), prefix = KEYS[table]
    found = stack.client("dynamodb").query(
        TableName=stack.outputs[table],
        KeyConditionExpression="#p = :p",
        ExpressionAttributeNames={"#p": partition},
        ExpressionAttributeValues={":p": {"S": f"{prefix}{equipment_id}"}},
    )
    return [row for row in map(to_plain, found["Items"]) if "ttl" in row]


def reap(stack: Stack, equipment_id: str) -> None:
    """Delete what expires, as the TTL service does within a minute here, and within days on AWS."""
    for table, (names, _) in KEYS.items():
        for row in rows(stack, table, equipment_id):
            key = to_typed({name: row[name] for name in names})
            stack.client("dynamodb").delete_item(TableName=stack.outputs[table], Key=key)


def begin(stack: Stack, equipment_id: str) -> str:
    """Ask for all that came to the bus since yesterday; return the path of the job."""
    now_ms, path = int(time.time() * 1000), path_of("archive", "equipment", equipment_id, "rehydrations")
    body = {"from": times.to_utc(now_ms - DAY_MS)[:10], "to": times.to_utc(now_ms)}
    begun = stack.api(groups.ADMIN).request("POST", path, body)
    assert begun.status == 202, begun
    return f"{path}/{begun.json['id']}"


def end_of(stack: Stack, job: str) -> int:
    """Wait until a job is done; return until when, in epoch seconds, it lets rows live."""
    api = stack.api(groups.ADMIN)
    assert eventually(lambda: api.get(job).json["state"] == "done")
    return times.to_ms(api.get(job).json["until"]) // 1000


@pytest.fixture(scope="module")
def kept(stack: Stack) -> Lake:
    """The lake, with what happened to two machines forty days ago. The rows of one are still there."""
    kept = Lake(stack)
    long_ago_ms = int(time.time() * 1000) - 40 * DAY_MS
    with in_this_process(stack):
        with frozen_clock(long_ago_ms):
            for machine in MACHINES:
                happen_to(machine, long_ago_ms)
        assert eventually(lambda: all(len(kept.about(one)) == EVENTS for one in MACHINES))
        with frozen_clock(long_ago_ms):
            for machine in MACHINES:
                take_in(kept.about(machine), now_ms=long_ago_ms)
    reap(stack, REAPED)
    return kept


def test_what_expired_comes_back_over_http_with_a_fresh_ttl_and_nothing_is_published(stack: Stack, kept: Lake) -> None:
    lines = {machine: kept.about(machine) for machine in MACHINES}
    assert [shown(stack, machine) for machine in MACHINES] == [NOTHING, NOTHING]
    swept = stack.client("lambda").invoke(FunctionName=stack.outputs["ArchiveSweep"])
    assert "FunctionError" not in swept, swept["Payload"].read()

    jobs = {machine: begin(stack, machine) for machine in MACHINES}
    until = {machine: end_of(stack, job) for machine, job in jobs.items()}

    for machine in MACHINES:
        assert eventually(partial(_is_all_shown, stack, machine)), shown(stack, machine)
        back = {table: [row for row in rows(stack, table, machine) if row["ttl"] > time.time()] for table in KEYS}
        assert {row["ttl"] for found in back.values() for row in found} == {until[machine]}
        assert [row["latched"] for row in back["EquipmentTable"]] == [True, True]
    _wait_for_a_later_event(stack, kept)
    assert {machine: kept.about(machine) for machine in MACHINES} == lines


def _is_all_shown(stack: Stack, machine: str) -> bool:
    return shown(stack, machine) == ALL


def _wait_for_a_later_event(stack: Stack, kept: Lake) -> None:
    """Have both services publish something: what they published before is in the lake by then."""
    later, timestamp = "press-of-today", times.to_utc(int(time.time() * 1000))
    operator = stack.api(groups.OPERATOR)
    assert operator.put(path_of("equipment", later, "states", timestamp), {"state": "NORMAL"}).status == 201
    log = path_of("equipment", later, "logs", "NORMAL", timestamp, "assignment")
    assert operator.put(log, {"operator": LIZ}).status == 201
    assert eventually(lambda: len(kept.about(later)) == 2)


def test_a_list_of_what_expired_leads_to_the_archive(stack: Stack, kept: Lake) -> None:
    api = stack.api(groups.ADMIN)

    listed = api.get(f"{path_of('equipment', REAPED, 'logs')}?from=2020-01-01")

    archived = api.get(listed.headers["link"].removeprefix("<").partition(">")[0])
    published = [json.loads(line)["detail"]["id"] for line in kept.about(REAPED)]
    assert sorted(item["detail"]["id"] for item in archived.json["items"]) == sorted(published)
