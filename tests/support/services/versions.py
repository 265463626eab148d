"""Requests that tests make about versions: of equipment, and of its audits."""

from collections.abc import Mapping
from typing import Any, Final

from andon.dynamodb.attribute_values import to_typed
from andon.events.change_data_capture import events_of
from andon.events.domain_event import DomainEvent
from andon.testing.loop import Answer, Loop
from andon.wire import aws
from demo.people import OLGA
from services.equipment.facts import FACTS
from services.equipment.metadata import EQUIPMENT

PUT: Final = "PUT /equipment/{id}"
GET: Final = "GET /equipment/{id}"
DELETE: Final = "DELETE /equipment/{id}"
ROLLBACK: Final = "POST /equipment/{id}/rollback"
VERSIONS: Final = "GET /equipment/{id}/versions"
VERSION: Final = "GET /equipment/{id}/versions/{n}"
AUDIT: Final = "PUT /equipment/{id}/audits/{part}"
AUDITS: Final = "GET /equipment/{id}/audits"
LATEST_AUDIT: Final = "GET /equipment/{id}/audits/{part}"
REVISIONS: Final = "GET /equipment/{id}/audits/{part}/revisions"
REVISION: Final = "GET /equipment/{id}/audits/{part}/revisions/{n}"

LOCATION: Final = {
    "company": "Acme",
    "country": "MX",
    "region": "West",
    "state": "JAL",
    "county": "Guadalajara",
    "city": "Guadalajara",
    "neighborhood": "Centro",
}
TAGS: Final = {"pipeline": "equipment.trigger"}


def equipment(name: str = "press") -> dict[str, Any]:
    """Return the body that registers a piece of equipment."""
    return {"name": name, "factoryId": "gdl-1", "lineId": "line-3", "location": LOCATION}


def tag(version: int | None) -> dict[str, str]:
    """Return the header that names the version to be changed."""
    return {} if version is None else {"if-match": f'"{version}"'}


def put(loop: Loop, equipment_id: str, name: str = "press", *, if_match: int | None = None, **parts: Any) -> Answer:  # noqa: ANN401
    """Register or change a piece of equipment."""
    return loop.request(PUT, path={"id": equipment_id}, body=equipment(name), headers=tag(if_match), **parts)


def delete(loop: Loop, equipment_id: str, *, if_match: int | None = None, **parts: Any) -> Answer:  # noqa: ANN401
    """Delete a piece of equipment."""
    return loop.request(DELETE, path={"id": equipment_id}, headers=tag(if_match), **parts)


def roll_back(loop: Loop, equipment_id: str, to: int, *, if_match: int | None = None, **parts: Any) -> Answer:  # noqa: ANN401
    """Make version `to` current again."""
    body = {"toVersion": to}
    return loop.request(ROLLBACK, path={"id": equipment_id}, body=body, headers=tag(if_match), **parts)


def audit(
    loop: Loop,
    equipment_id: str,
    result: str = "passed",
    *,
    part: str = "_",
    if_match: int | None = None,
    **parts: Any,  # noqa: ANN401
) -> Answer:
    """Record an audit."""
    body = {"result": result, "auditor": OLGA}
    path = {"id": equipment_id, "part": part}
    return loop.request(AUDIT, path=path, body=body, headers=tag(if_match), **parts)


def get(loop: Loop, equipment_id: str, **parts: Any) -> Answer:  # noqa: ANN401
    """Read a piece of equipment, as it is or was."""
    return loop.request(GET, path={"id": equipment_id}, **parts)


def pages(loop: Loop, route: str, path: Mapping[str, str], **query: str) -> list[list[dict[str, Any]]]:
    """Read a list to its end, page by page."""
    found: list[list[dict[str, Any]]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = loop.request(route, path=path, query={**query, **cursor})
        assert answer.status == 200, answer.body
        found.append(answer.body["items"])
        if "cursor" not in answer.body:
            return found
        cursor = {"cursor": answer.body["cursor"]}


def everything(loop: Loop, route: str, path: Mapping[str, str], **query: str) -> list[dict[str, Any]]:
    """Read a list to its end."""
    return [item for page in pages(loop, route, path, **query) for item in page]


def versions(loop: Loop, equipment_id: str) -> list[dict[str, Any]]:
    """Read the history of a piece of equipment, newest first."""
    return everything(loop, VERSIONS, {"id": equipment_id})


def revisions(loop: Loop, equipment_id: str, part: str = "_") -> list[dict[str, Any]]:
    """Read the history of a part's audits, newest first."""
    return everything(loop, REVISIONS, {"id": equipment_id, "part": part})


def reap(equipment_id: str) -> None:
    """Delete the current row, as the TTL service does some day with a tombstone."""
    key = to_typed(EQUIPMENT.key_of(equipment_id))
    aws.client("dynamodb").delete_item(TableName="EQUIPMENT_TABLE", Key=key)


def new_facts(loop: Loop) -> list[DomainEvent]:
    """Take what the trigger makes of all changes since the last time."""
    records: list[Any] = loop.new_records("EQUIPMENT_TABLE")
    return [*events_of(records, facts=FACTS, tags=TAGS).values()]


def told(loop: Loop, equipment_id: str) -> list[str]:
    """Return the events of a piece of equipment since the last call, as `equipment-updated 2`."""
    return [_line(event) for event in new_facts(loop) if event.partition_key == equipment_id]


def _line(event: DomainEvent) -> str:
    (entity,) = event.entities.values()
    number = entity.get("version") or entity.get("revision")
    return f"{event.type} {number}" if number else event.type
