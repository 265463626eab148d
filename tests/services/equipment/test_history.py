"""What was known, when: versions, one version, as of a time; by the page, and only if it changed."""

from collections.abc import Callable

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.wire import aws
from services.equipment import metadata
from tests.support.samples import NOW
from tests.support.services.versions import (
    AUDITS,
    GET,
    LATEST_AUDIT,
    REVISION,
    VERSION,
    VERSIONS,
    audit,
    delete,
    equipment,
    everything,
    get,
    pages,
    put,
    revisions,
    roll_back,
)

MINUTE = 60_000

Command = Callable[[], Answer]


@pytest.fixture(scope="module")
def storied(loop: Loop) -> str:
    """A piece of equipment that changed every minute from `NOW` on: made, changed, deleted, made again, rolled back."""
    commands: list[Command] = [
        lambda: put(loop, "storied", "first"),
        lambda: put(loop, "storied", "second", if_match=1),
        lambda: delete(loop, "storied", if_match=2),
        lambda: put(loop, "storied", "fourth"),
        lambda: roll_back(loop, "storied", 2, if_match=4),
    ]
    for minute, command in enumerate(commands):
        with frozen_clock(NOW + minute * MINUTE):
            assert command().status in {200, 201, 204}
    return "storied"


@pytest.mark.parametrize(
    ("at", "version"),
    [
        (NOW - 1, None),
        (NOW, 1),
        (NOW + 1, 1),
        (NOW + MINUTE - 1, 1),
        (NOW + MINUTE, 2),
        (NOW + 2 * MINUTE - 1, 2),
        (NOW + 2 * MINUTE, None),
        (NOW + 2 * MINUTE + 1, None),
        (NOW + 3 * MINUTE - 1, None),
        (NOW + 3 * MINUTE, 4),
        (NOW + 4 * MINUTE, 5),
        (NOW + 10**9, 5),
        (-1, None),
        (times.to_ms("0001-01-01T00:00:00Z"), None),
        (times.to_ms("9999-12-31T23:59:59.999Z"), 5),
    ],
)
def test_as_of_a_time_it_is_what_was_current_then(loop: Loop, storied: str, at: int, version: int | None) -> None:
    answer = get(loop, storied, query={"asOf": times.to_utc(at)})

    assert answer.status == (200 if version else 404)
    if version:
        listed = everything(loop, VERSIONS, {"id": storied})
        assert answer.body == next(one for one in listed if one["version"] == version)
        assert answer.headers["etag"] == f'"{version}"'


def test_as_of_takes_any_offset_and_precision(loop: Loop, storied: str) -> None:
    # NOW is midnight UTC; the second version was made a minute later.
    for at, version in [
        ("2020-04-28T02:00:59.9999+02:00", 1),
        ("2020-04-28T00:01", 2),
        ("2020-04-27T19:01:00-05:00", 2),
    ]:
        assert get(loop, storied, query={"asOf": at}).body["version"] == version


def test_as_of_any_time_what_never_was_is_not_found(loop: Loop, equipment_id: str) -> None:
    assert get(loop, equipment_id, query={"asOf": "2020-04-28T00:00:00Z"}).status == 404
    assert get(loop, equipment_id).status == 404
    assert loop.request(VERSION, path={"id": equipment_id, "n": "1"}).status == 404


def test_one_version_is_told_by_its_number_a_deletion_among_them(loop: Loop, storied: str) -> None:
    for listed in everything(loop, VERSIONS, {"id": storied}):
        answer = loop.request(VERSION, path={"id": storied, "n": str(listed["version"])})
        assert (answer.status, answer.body) == (200, listed)
        assert answer.body.get("deleted") == (True if listed["version"] == 3 else None)
    assert loop.request(VERSION, path={"id": storied, "n": "6"}).status == 404


def test_every_answer_with_an_etag_is_304_for_who_has_it(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    put(loop, equipment_id, "another", if_match=1)
    audit(loop, equipment_id, part="belt")
    it = {"id": equipment_id}
    reads = [
        (GET, it, {}, 2),
        (GET, it, {"asOf": times.to_utc(NOW)}, 1),
        (VERSION, {**it, "n": "1"}, {}, 1),
        (LATEST_AUDIT, {**it, "part": "belt"}, {}, 1),
        (REVISION, {**it, "part": "belt", "n": "1"}, {}, 1),
    ]

    for route, path, query, version in reads:
        has, others = f'"{version}"', f'"{version + 1}"'
        for if_none_match, status in [
            (has, 304),
            (f"W/{has}", 304),
            (f"{others}, {has}", 304),
            ("*", 304),
            (others, 200),
        ]:
            answer = loop.request(route, path=path, query=query, headers={"if-none-match": if_none_match})
            assert (answer.status, answer.headers["etag"]) == (status, has), (route, if_none_match)
            assert (answer.body is None) == (status == 304)


def test_parts_count_independently(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)

    assert audit(loop, equipment_id, part="belt").body["revision"] == 1
    assert audit(loop, equipment_id, "failed", part="belt", if_match=1).body["revision"] == 2
    assert audit(loop, equipment_id, part="_").body["revision"] == 1
    assert audit(loop, equipment_id, part="_").status == 201
    assert audit(loop, equipment_id, "failed", part="_", if_match=2).status == 412

    latest = everything(loop, AUDITS, {"id": equipment_id})
    assert {one["part"]: one["revision"] for one in latest} == {"_": 1, "belt": 2}
    assert [one["revision"] for one in revisions(loop, equipment_id, "belt")] == [2, 1]
    assert [one["revision"] for one in revisions(loop, equipment_id)] == [1]


def test_a_part_whose_name_begins_anothers_has_a_history_of_its_own(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    for part in ("belt", "belt 2", "Belt"):
        audit(loop, equipment_id, f"of {part}", part=part)

    for part in ("belt", "belt 2", "Belt"):
        assert [one["result"] for one in revisions(loop, equipment_id, part)] == [f"of {part}"]


@pytest.mark.parametrize("if_match", [None, 1])
def test_there_is_no_audit_of_what_is_not_registered(loop: Loop, equipment_id: str, if_match: int | None) -> None:
    assert audit(loop, equipment_id, if_match=if_match).status == 404
    assert loop.request(LATEST_AUDIT, path={"id": equipment_id, "part": "_"}).status == 404
    assert revisions(loop, equipment_id) == []


@pytest.mark.parametrize("if_match", [None, 1, 2, 3], ids=["no version", "stale", "current", "unheard of"])
@pytest.mark.parametrize("result", ["passed", "changed"])
def test_there_is_no_further_audit_of_what_was_deleted_whatever_it_says(
    loop: Loop, equipment_id: str, if_match: int | None, result: str
) -> None:
    put(loop, equipment_id)
    audit(loop, equipment_id, "failed")
    audit(loop, equipment_id, "passed", if_match=1)
    delete(loop, equipment_id, if_match=1)

    answer = audit(loop, equipment_id, result, if_match=if_match, subject="somebody else")

    assert answer.status == 404
    assert len(revisions(loop, equipment_id)) == 2
    assert loop.request(LATEST_AUDIT, path={"id": equipment_id, "part": "_"}).body["revision"] == 2


def test_audits_go_on_when_the_equipment_was_registered_again(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    audit(loop, equipment_id)
    delete(loop, equipment_id, if_match=1)
    put(loop, equipment_id)

    answer = audit(loop, equipment_id, "failed", if_match=1)

    assert (answer.status, answer.body["revision"]) == (200, 2)


def test_2500_revisions_by_pages_of_100_arrive_each_once_and_in_order(loop: Loop, equipment_id: str) -> None:
    _write("EQUIPMENT_HISTORY_TABLE", [_metadata_row(equipment_id, number) for number in range(1, 2501)])

    read = pages(loop, VERSIONS, {"id": equipment_id}, limit="100")

    assert [one["version"] for page in read for one in page] == list(range(2500, 0, -1))
    assert {len(page) for page in read[:25]} == {100}
    assert len(read) <= 26  # the page behind the last full one is empty


def _metadata_row(equipment_id: str, number: int) -> dict[str, object]:
    attributes = metadata.mark_of(equipment_id) | metadata.revision_key(equipment_id, number)
    return attributes | equipment(f"version {number}") | {"timestamp": NOW + number, "changedBy": "Liz"}


def _write(table: str, rows: list[dict[str, object]]) -> None:
    """Write rows past the service, quickly: a transaction of moto's copies the table."""
    puts = [{"PutRequest": {"Item": to_typed(row)}} for row in rows]
    for start in range(0, len(puts), 25):
        aws.client("dynamodb").batch_write_item(RequestItems={table: puts[start : start + 25]})
