"""Others are writing the same rows at the same moment: DynamoDB cancels a transaction, and says why of each row."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from andon.runtime.errors import CallFailed
from andon.testing.above_retries import Pass, between
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.memory.calls import Call
from andon.versions.versioned_write import ATTEMPTS, FIRST_PAUSE_SECONDS
from tests.support.crash_points import calls_of
from tests.support.samples import NOW
from tests.support.services.versions import audit, get, put, told, versions


@contextmanager
def cancelled(*reasons: str, times: int = 1) -> Iterator[None]:
    """Let DynamoDB cancel the next transactions for these reasons, one for each row."""
    left = [times]

    def cancel(call: Call, make: Pass) -> dict[str, Any]:
        if call.operation != "TransactWriteItems" or not left[0]:
            return make()
        left[0] -= 1
        raise CallFailed(
            "TransactionCanceledException", {"CancellationReasons": [{"Code": reason} for reason in reasons]}
        )

    with between(cancel):
        yield


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
@pytest.mark.parametrize("times", [1, ATTEMPTS - 1])
def test_a_conflict_is_tried_again_after_a_random_pause(
    loop: Loop, equipment_id: str, pauses: list[float], reason: str, times: int
) -> None:
    with cancelled(reason, "None", times=times):
        answer = put(loop, equipment_id)

    assert answer.status == 201
    assert len(pauses) == times
    assert all(0 <= pause <= FIRST_PAUSE_SECONDS * 2**attempt for attempt, pause in enumerate(pauses))
    assert told(loop, equipment_id) == ["equipment-created 1"]


def test_a_conflict_that_does_not_end_is_given_up_and_nothing_is_done(
    loop: Loop, equipment_id: str, pauses: list[float]
) -> None:
    put(loop, equipment_id)
    told(loop, equipment_id)

    with cancelled("TransactionConflict", "None", times=1000):
        answers = []
        calls = calls_of(lambda: answers.append(put(loop, equipment_id, "another", if_match=1)))

    assert answers[0].status >= 500
    assert len(calls) == ATTEMPTS
    assert sum(pauses) < 3  # well within the function's timeout
    assert get(loop, equipment_id).body["version"] == 1
    assert told(loop, equipment_id) == []


@pytest.mark.parametrize("name", ["another", "theirs"])
def test_a_half_told_verdict_is_no_verdict(loop: Loop, equipment_id: str, pauses: list[float], name: str) -> None:
    # The winner's transaction is being committed: its revision is there already, its current row not yet.
    put(loop, equipment_id)
    put(loop, equipment_id, name, if_match=1)

    with cancelled("TransactionConflict", "ConditionalCheckFailed"), frozen_clock(NOW + 5):
        answer = put(loop, equipment_id, "another", if_match=1)

    assert answer.status == (200 if name == "another" else 412)  # a retry, or stale
    assert len(versions(loop, equipment_id)) == 2
    assert pauses == []


def test_a_half_told_create_is_no_recreation(loop: Loop, equipment_id: str) -> None:
    first = put(loop, equipment_id)

    with cancelled("TransactionConflict", "ConditionalCheckFailed"):
        again = put(loop, equipment_id)
    with cancelled("TransactionConflict", "ConditionalCheckFailed"):
        another = put(loop, equipment_id, "another")

    assert (again.status, again.body) == (201, first.body)
    assert another.status == 428
    assert len(versions(loop, equipment_id)) == 1


def test_an_audit_of_equipment_that_is_being_changed_is_tried_again(
    loop: Loop, equipment_id: str, pauses: list[float]
) -> None:
    put(loop, equipment_id)

    with cancelled("None", "None", "TransactionConflict"):
        answer = audit(loop, equipment_id)

    assert answer.status == 201
    assert len(pauses) == 1


def test_a_transaction_that_is_invalid_is_our_fault_and_not_tried_again(
    loop: Loop, equipment_id: str, pauses: list[float]
) -> None:
    with cancelled("ValidationError", "None"):
        answer = put(loop, equipment_id)

    assert answer.status == 500
    assert pauses == []
    assert get(loop, equipment_id).status == 404
