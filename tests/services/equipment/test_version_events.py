"""One command, one event, however many rows it writes."""

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from services.equipment import metadata
from services.equipment.tables import HISTORY_TABLE
from tests.support.samples import NOW
from tests.support.services.reports import report
from tests.support.services.versions import audit, delete, equipment, new_facts, put, reap, roll_back, told
from tests.support.wire import Wire


def test_every_command_is_told_once_with_its_version(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    put(loop, equipment_id, "another", if_match=1)
    roll_back(loop, equipment_id, 1, if_match=2)
    audit(loop, equipment_id)
    audit(loop, equipment_id, "failed", if_match=1)
    audit(loop, equipment_id, part="belt")
    report(loop, equipment_id)
    delete(loop, equipment_id, if_match=3)
    put(loop, equipment_id)

    assert told(loop, equipment_id) == [
        "equipment-created 1",
        "equipment-updated 2",
        "equipment-updated 3",
        "audit-recorded 1",
        "audit-recorded 2",
        "audit-recorded 1",
        "state-reported",
        "equipment-deleted 4",
        "equipment-undeleted 5",
    ]


def test_what_is_told_is_the_entity_as_it_became_and_the_time_of_its_version(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    delete(loop, equipment_id, if_match=1)

    created, deleted = (event for event in new_facts(loop) if event.partition_key == equipment_id)

    entity = {"id": equipment_id, "version": 1, **equipment()}
    assert created.entities == {"equipment": entity}
    assert deleted.entities == {"equipment": entity | {"version": 2, "deleted": True}}
    assert (created.timestamp_ms, deleted.timestamp_ms) == (NOW, NOW + 1)


def test_an_audit_is_told_with_its_revision_and_its_part(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    audit(loop, equipment_id, part="belt")
    new_facts(loop)

    audit(loop, equipment_id, "failed", part="belt", if_match=1)

    (recorded,) = new_facts(loop)
    expected = {"equipmentId": equipment_id, "part": "belt", "revision": 2, "result": "failed", "auditor": "Olga"}
    assert recorded.entities == {"audit": expected}


def test_what_is_refused_or_changes_nothing_is_not_told(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    audit(loop, equipment_id)
    told(loop, equipment_id)

    answers = [
        put(loop, equipment_id, if_match=1),
        put(loop, equipment_id, if_match=1, subject="somebody else"),
        put(loop, equipment_id),
        put(loop, equipment_id, "another"),
        put(loop, equipment_id, "another", if_match=2),
        delete(loop, equipment_id),
        delete(loop, equipment_id, if_match=2),
        roll_back(loop, equipment_id, 2, if_match=1),
        audit(loop, equipment_id, if_match=1),
        audit(loop, equipment_id),
        audit(loop, equipment_id, "failed"),
        audit(loop, equipment_id, "failed", if_match=2),
    ]

    assert [answer.status for answer in answers] == [200, 200, 201, 428, 412, 428, 412, 404, 200, 201, 428, 412]
    assert told(loop, equipment_id) == []


def test_the_ttl_service_is_not_told_of_and_what_comes_after_it_is_created(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    delete(loop, equipment_id, if_match=1)
    told(loop, equipment_id)

    reap(equipment_id)
    assert told(loop, equipment_id) == []

    put(loop, equipment_id)
    assert told(loop, equipment_id) == ["equipment-created 3"]


def test_the_history_has_no_stream_of_its_own(loop: Loop) -> None:
    schema = loop.schemas["EQUIPMENT_HISTORY_TABLE"]

    assert not schema.stream
    assert not schema.expires


@pytest.mark.parametrize(
    ("command", "requests"),
    [
        ("create", ["TransactWriteItems"]),
        ("update", ["TransactWriteItems"]),
        ("delete", ["GetItem", "TransactWriteItems"]),
        ("rollback", ["GetItem", "GetItem", "TransactWriteItems"]),
        ("first audit", ["TransactWriteItems"]),
        ("audit", ["TransactWriteItems"]),
        ("report", ["PutItem"]),
    ],
)
def test_a_command_makes_as_few_requests_as_can_be(
    loop: Loop, equipment_id: str, wire: Wire, command: str, requests: list[str]
) -> None:
    if command != "create":
        put(loop, equipment_id)
    if command == "rollback":
        put(loop, equipment_id, "another", if_match=1)
    if command == "audit":
        audit(loop, equipment_id)
    wire.requests.clear()

    with frozen_clock(NOW + 1000):  # within one millisecond it takes one more
        {
            "create": lambda: put(loop, equipment_id),
            "update": lambda: put(loop, equipment_id, "another", if_match=1),
            "delete": lambda: delete(loop, equipment_id, if_match=1),
            "rollback": lambda: roll_back(loop, equipment_id, 1, if_match=2),
            "first audit": lambda: audit(loop, equipment_id),
            "audit": lambda: audit(loop, equipment_id, "failed", if_match=1),
            "report": lambda: report(loop, equipment_id),
        }[command]()

    assert wire.operations == requests


def test_a_revision_says_what_the_current_row_says(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    put(loop, equipment_id, "another", if_match=1)
    current = next(row for row in loop.rows("EQUIPMENT_TABLE") if row["pk"] == f"Equipment#{equipment_id}")

    revision = HISTORY_TABLE.get(metadata.revision_key(equipment_id, 2))

    assert revision == {name: value for name, value in current.items() if name not in {"sk", "since"}}
