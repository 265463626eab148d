"""Erase a person: read what stands there, decide, write, and again if somebody wrote in between."""

from typing import cast

from andon.dynamodb.client import transact
from andon.dynamodb.errors import ConditionFailed, TransactionConditionsFailed, TransactionConflict
from andon.http.places import Places
from andon.runtime import clock
from andon.versions.versioned_write import ATTEMPTS, Contended, pause
from services.people import erasure
from services.people.erasure import ErasureRow, Stamp
from services.people.person import PersonRow, versions_of
from services.people.placement import no_place
from services.people.places import require_shown

FENCE, ERASURE, PLACEMENT = "fence", "erasure", "placement"  # the writes of one transaction, by name


def erase(person_id: str, *, actor: str, places: Places) -> None:
    """Put a fence in place of a person, and record the erasure; whoever is erased already stays so.

    Raises:
        Forbidden: the person is at none of the places, or nobody is known of this id.
        Contended: others wrote the person at each of `ATTEMPTS` attempts.

    """
    row = versions_of(person_id).current()
    for attempt in range(ATTEMPTS):
        require_shown(places, row)
        if row is not None and row.get("deleted"):
            _record(person_id, row)
            return
        try:
            _erase(person_id, row, erasure.stamp_upon(row, actor=actor, now_ms=clock.now_ms()))
        except ConditionFailed as failed:
            row = versions_of(person_id).row_of(failed.row)
        except TransactionConflict:
            pause(attempt)
        else:
            return
    raise Contended


def _erase(person_id: str, row: PersonRow | None, stamp: Stamp) -> None:
    """Write fence and erasure; the fence alone if there is an erasure, which is older than the row's restoration.

    Raises:
        ConditionFailed: another row stands in the person's place than this one.
        TransactionConflict: others were writing it.

    """
    fence = erasure.fence(person_id, row, stamp)
    try:
        transact({FENCE: fence, ERASURE: erasure.erasure(person_id, stamp), PLACEMENT: no_place(person_id)})
    except TransactionConditionsFailed as failed:
        if FENCE in failed.failed:
            raise ConditionFailed(failed.failed[FENCE]) from failed
        erased = cast("ErasureRow", failed.failed[ERASURE])
        erasure.fence(person_id, row, erasure.stamp_of(erased)).alone()


def _record(person_id: str, fence: PersonRow) -> None:
    """Record the erasure behind a fence, if its table was restored to before it."""
    try:
        erasure.erasure(person_id, erasure.stamp_of(fence)).alone()
    except ConditionFailed:
        return
