"""A tombstone of what was erased says neither what stood there nor which command made it, and nothing follows it."""

import pytest

from andon.runtime.errors import Conflict, NotFound, Rejected
from andon.versions.optimistic_lock import CURRENT, CheckRetry, Command, Draft, RefusedSave, VersionedRow, decide_next

# As a service writes it that forgets: no fingerprint, no digest.
ERASED: VersionedRow = {"version": 3, "timestamp": 5, "changedBy": "me", "since": 1, "deleted": True}  # type: ignore[typeddict-item]


def draft_of(gone: Rejected | None, if_match: int | None = None) -> Draft:
    command = Command(actor="me", now_ms=9, if_match=if_match, fingerprint="f")
    return Draft(content={"name": "x"}, attributes={}, command=command, revives=False, gone=gone)


@pytest.mark.parametrize("if_match", [None, 1, 3, 4])
@pytest.mark.parametrize(("gone", "refusal"), [(None, NotFound), (Conflict("no more"), Conflict)])
def test_what_may_not_follow_a_tombstone_is_refused_as_its_service_says(
    gone: Rejected | None, refusal: type[Rejected], if_match: int | None
) -> None:
    step = decide_next(draft_of(gone, if_match), RefusedSave(failed={CURRENT: ERASED}))

    assert isinstance(step, CheckRetry)
    assert type(step.otherwise) is refusal
