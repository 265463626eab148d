"""Versions of equipment and of its audits, from end to end; their laws are the library's."""

import pytest

from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from demo.people import OLGA
from services.equipment.metadata import EQUIPMENT
from tests.support.samples import NOW
from tests.support.services.reports import report
from tests.support.services.versions import (
    AUDITS,
    GET,
    LATEST_AUDIT,
    LOCATION,
    PUT,
    REVISION,
    VERSION,
    audit,
    delete,
    equipment,
    everything,
    get,
    new_facts,
    put,
    revisions,
    roll_back,
    tag,
    told,
    versions,
)

HOUR = 3_600_000


def test_a_piece_of_equipment_from_its_registration_to_its_return(loop: Loop, equipment_id: str) -> None:
    answers = [
        put(loop, equipment_id, subject="Liz"),
        put(loop, equipment_id, "another"),
        put(loop, equipment_id, "another", if_match=2),
        put(loop, equipment_id, "another", if_match=1, subject="Sue"),
        roll_back(loop, equipment_id, 3, if_match=2),
        roll_back(loop, equipment_id, 1, if_match=2),
        delete(loop, equipment_id),
        delete(loop, equipment_id, if_match=3),
        get(loop, equipment_id),
        put(loop, equipment_id, "again"),
        roll_back(loop, equipment_id, 4, if_match=5),
        audit(loop, equipment_id),
        report(loop, equipment_id),
    ]

    assert [answer.status for answer in answers] == [201, 428, 412, 200, 404, 200, 428, 204, 404, 201, 409, 201, 201]
    assert answers[0].headers["etag"] == '"1"'
    made = versions(loop, equipment_id)
    assert [one["version"] for one in made] == [5, 4, 3, 2, 1]
    assert [one["changedBy"] for one in made[3:]] == ["Sue", "Liz"]
    tombstone = {"version": 4, "changedAt": times.to_utc(NOW + 3), "deleted": True}
    assert made[1] == answers[5].body | tombstone
    assert told(loop, equipment_id) == [
        "equipment-created 1",
        "equipment-updated 2",
        "equipment-updated 3",
        "equipment-deleted 4",
        "equipment-undeleted 5",
        "audit-recorded 1",
        "state-reported",
    ]


def test_a_version_is_its_body_with_id_number_time_and_author_and_its_event_says_the_same(
    loop: Loop, equipment_id: str
) -> None:
    body = equipment() | {"validFrom": "2020-04-20T06:00:00Z"}
    answer = loop.request(PUT, path={"id": equipment_id}, body=body, subject="Liz")

    entity = {"id": equipment_id, "version": 1, **equipment(), "validFrom": "2020-04-20T06:00:00.000Z"}
    assert answer.body == entity | {"changedAt": times.to_utc(NOW), "changedBy": "Liz"}
    assert get(loop, equipment_id).body == answer.body
    assert loop.request(VERSION, path={"id": equipment_id, "n": "1"}).body == answer.body
    assert loop.request(VERSION, path={"id": equipment_id, "n": "2"}).status == 404
    (created,) = (event for event in new_facts(loop) if event.partition_key == equipment_id)
    assert created.entities == {"equipment": entity}


@pytest.mark.parametrize("valid_from", ["yesterday", "", "2020-04-24", times.to_utc(NOW + 1)])
def test_what_is_no_time_before_now_is_refused(loop: Loop, equipment_id: str, valid_from: str) -> None:
    answer = loop.request(PUT, path={"id": equipment_id}, body=equipment() | {"validFrom": valid_from})

    assert (answer.status, answer.body["errors"][0]["field"]) == (400, "body.validFrom")


def test_a_location_is_as_long_as_the_boards_key_at_most(loop: Loop, equipment_id: str) -> None:
    long = dict.fromkeys(LOCATION, "é" * 120)

    answer = loop.request(PUT, path={"id": equipment_id}, body=equipment() | {"location": long})

    assert (answer.status, [error["field"] for error in answer.body["errors"]]) == (400, ["body.location"])


def test_it_is_read_as_of_a_time_as_known_at_another_in_any_form(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id, "first")
    with frozen_clock(NOW + HOUR):
        late = equipment("second") | {"validFrom": times.to_utc(NOW + HOUR // 2)}
        loop.request(PUT, path={"id": equipment_id}, body=late, headers=tag(1))

    for query, name in [
        ({"asOf": "2020-04-28T02:29:59.9999+02:00"}, "first"),
        ({"asOf": "2020-04-28T00:30"}, "second"),
        ({"asOf": "2020-04-27T19:30:00-05:00", "knownAt": times.to_utc(NOW + HOUR - 1)}, "first"),
        ({"knownAt": "2020-04-28T01:00"}, "second"),
    ]:
        assert get(loop, equipment_id, query=query).body["name"] == name, query
    assert get(loop, equipment_id, query={"asOf": "2020-04-27T23:59"}).status == 404


def test_every_answer_with_an_etag_is_304_for_who_has_it(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    put(loop, equipment_id, "another", if_match=1)
    audit(loop, equipment_id, part="belt")
    it = {"id": equipment_id}

    for route, path, query, version in [
        (GET, it, {}, 2),
        (GET, it, {"asOf": times.to_utc(NOW)}, 1),
        (VERSION, {**it, "n": "1"}, {}, 1),
        (LATEST_AUDIT, {**it, "part": "belt"}, {}, 1),
        (REVISION, {**it, "part": "belt", "n": "1"}, {}, 1),
    ]:
        answer = loop.request(route, path=path, query=query, headers={"if-none-match": f'"{version}"'})
        assert (answer.status, answer.headers["etag"]) == (304, f'"{version}"'), route


# Audits


def test_parts_count_independently_also_if_a_name_begins_anothers(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    for part in ("belt", "belt 2", "Belt"):
        assert audit(loop, equipment_id, f"of {part}", part=part).body["revision"] == 1
    assert audit(loop, equipment_id, "failed", part="belt", if_match=1).body["revision"] == 2
    assert audit(loop, equipment_id, part="Belt", if_match=2).status == 412

    latest = everything(loop, AUDITS, {"id": equipment_id})
    assert {one["part"]: one["revision"] for one in latest} == {"belt": 2, "belt 2": 1, "Belt": 1}
    assert [one["result"] for one in revisions(loop, equipment_id, "belt")] == ["failed", "of belt"]
    assert [one["result"] for one in revisions(loop, equipment_id, "belt 2")] == ["of belt 2"]


def test_there_is_no_audit_of_what_is_not_registered_or_was_deleted(loop: Loop, equipment_id: str) -> None:
    assert audit(loop, equipment_id).status == 404
    assert loop.request(LATEST_AUDIT, path={"id": equipment_id, "part": "_"}).status == 404
    assert loop.request(REVISION, path={"id": equipment_id, "part": "_", "n": "1"}).status == 404
    put(loop, equipment_id)
    audit(loop, equipment_id)
    delete(loop, equipment_id, if_match=1)

    assert audit(loop, equipment_id, "failed", if_match=1).status == 404
    assert [one["revision"] for one in revisions(loop, equipment_id)] == [1]


def test_an_audit_is_told_with_its_revision_and_its_part(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    new_facts(loop)

    audit(loop, equipment_id, part="belt")

    (recorded,) = new_facts(loop)
    expected = {"equipmentId": equipment_id, "part": "belt", "revision": 1, "result": "passed", "auditor": OLGA}
    assert (recorded.type, recorded.timestamp_ms, recorded.entities) == ("audit-recorded", NOW, {"audit": expected})


def test_the_current_row_stands_beside_the_states(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)

    (row,) = (row for row in loop.rows("EQUIPMENT_TABLE") if row["pk"] == f"Equipment#{equipment_id}")
    assert (row["sk"], row["discriminator"]) == ("Metadata", "equipment")
    assert row == EQUIPMENT.versions_of(equipment_id).current()


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ('"2"', 200),
        ('"1"', 412),
        ("*", 200),
        ('"1", "2"', 200),
        ('"2" ,"7"', 200),
        ('"1","3"', 412),
        ('W/"2"', 412),
        ('W/"2", W/"1"', 412),
        ('W/"2", "2"', 200),
        ("**", 400),
        ('*, "2"', 400),
        ('"2",', 400),
    ],
)
def test_an_if_match_is_read_as_http_says(loop: Loop, equipment_id: str, said: str, status: int) -> None:
    put(loop, equipment_id)
    put(loop, equipment_id, "another", if_match=1)

    answer = loop.request(PUT, path={"id": equipment_id}, body=equipment("a third"), headers={"if-match": said})

    assert answer.status == status
    assert [one["version"] for one in versions(loop, equipment_id)] == ([3, 2, 1] if status == 200 else [2, 1])


def test_any_version_is_none_where_nothing_stands(loop: Loop, equipment_id: str) -> None:
    def any_version(route: str, body: object = None) -> int:
        return loop.request(route, path={"id": equipment_id}, body=body, headers={"if-match": "*"}).status

    assert any_version(PUT, equipment()) == 412
    put(loop, equipment_id)
    assert any_version("DELETE /equipment/{id}") == 204
    assert any_version(PUT, equipment()) == 412
    assert [one["version"] for one in versions(loop, equipment_id)] == [2, 1]
