"""A command that comes again is answered as the first time, whatever has happened since, and does nothing."""

from collections.abc import Callable

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.support.samples import NOW
from tests.support.services.versions import audit, delete, get, put, reap, revisions, roll_back, told, versions

LATER = NOW + 60_000

Command = Callable[[Loop, str], Answer]


def said(answer: Answer) -> tuple[object, ...]:
    """Return all that a client gets to see of a response."""
    return answer.status, answer.headers.get("etag"), answer.body


@pytest.mark.parametrize(
    "command",
    [
        lambda loop, equipment_id: put(loop, equipment_id, "another", if_match=2),
        lambda loop, equipment_id: roll_back(loop, equipment_id, 1, if_match=2),
        lambda loop, equipment_id: delete(loop, equipment_id, if_match=2),
    ],
    ids=["update", "rollback", "delete"],
)
@pytest.mark.parametrize("since", ["nothing", "an update", "a delete", "a recreation", "the TTL service"])
def test_a_change_is_recognised_whatever_happened_since(
    loop: Loop, equipment_id: str, command: Command, since: str
) -> None:
    put(loop, equipment_id)
    put(loop, equipment_id, "a second", if_match=1)
    first = command(loop, equipment_id)
    alive = first.status == 200
    if since == "an update":
        put(loop, equipment_id, "a fourth", if_match=3)
    elif since != "nothing" and alive:
        delete(loop, equipment_id, if_match=3)
    if since == "a recreation":
        put(loop, equipment_id, "a new one")
    if since == "the TTL service":
        reap(equipment_id)
    told(loop, equipment_id)
    history = versions(loop, equipment_id)

    with frozen_clock(LATER):
        again = command(loop, equipment_id)

    assert said(again) == said(first)
    assert versions(loop, equipment_id) == history
    assert told(loop, equipment_id) == []


def test_put_delete_and_the_same_put_within_minutes_are_three_versions_each_with_a_retry_of_its_own(
    loop: Loop, equipment_id: str
) -> None:
    create: Command = put
    commands: list[Command] = [create, lambda loop, equipment_id: delete(loop, equipment_id, if_match=1), create]

    firsts, retries = [], []
    for minute, command in enumerate(commands):
        with frozen_clock(NOW + minute * 60_000):
            firsts.append(said(command(loop, equipment_id)))
        with frozen_clock(NOW + minute * 60_000 + 5000):
            retries.append(said(command(loop, equipment_id)))

    assert retries == firsts
    assert [(status, etag) for status, etag, _ in firsts] == [(201, '"1"'), (204, None), (201, '"3"')]
    assert [(one["version"], one.get("deleted")) for one in versions(loop, equipment_id)] == [
        (3, None),
        (2, True),
        (1, None),
    ]
    assert told(loop, equipment_id) == ["equipment-created 1", "equipment-deleted 2", "equipment-undeleted 3"]


def test_a_recreation_by_the_tombstones_version_is_recognised_behind_an_update(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    delete(loop, equipment_id, if_match=1)
    first = put(loop, equipment_id, "again", if_match=2)
    put(loop, equipment_id, "later", if_match=3)

    again = put(loop, equipment_id, "again", if_match=2)

    assert said(again) == said(first)
    assert again.status == 201


@pytest.mark.parametrize("if_match", [None, 1])
def test_an_audit_is_recognised_behind_a_later_one_and_although_its_equipment_was_deleted(
    loop: Loop, equipment_id: str, if_match: int | None
) -> None:
    put(loop, equipment_id)
    if if_match:
        audit(loop, equipment_id, "before")
    first = audit(loop, equipment_id, if_match=if_match)
    immediately = audit(loop, equipment_id, if_match=if_match)
    audit(loop, equipment_id, "failed", if_match=(if_match or 0) + 1)
    behind_another = audit(loop, equipment_id, if_match=if_match)
    delete(loop, equipment_id, if_match=1)
    told(loop, equipment_id)

    with frozen_clock(LATER):
        behind_a_delete = audit(loop, equipment_id, if_match=if_match)

    assert said(first) == said(immediately) == said(behind_another) == said(behind_a_delete)
    assert len(revisions(loop, equipment_id)) == (if_match or 0) + 2
    assert told(loop, equipment_id) == []


def test_a_change_that_changed_nothing_is_no_version_to_be_recognised_by(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    nothing = put(loop, equipment_id, if_match=1, subject="somebody else")
    put(loop, equipment_id, "another", if_match=1)

    assert nothing.status == 200
    assert put(loop, equipment_id, if_match=1, subject="somebody else").status == 412
    assert get(loop, equipment_id).body["version"] == 2
