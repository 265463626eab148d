"""Nobody was told: shown while somebody is needed, and until somebody has seen it."""

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.testing.memory.aws import OneTable
from tests.support.samples import sample
from tests.views.board.test_calls import AT as AT_MS
from tests.views.board.test_calls import call_fact, id_of_call
from views.board.standing import to_response
from views.board.view import KEYS, ON, TABLE

if TYPE_CHECKING:
    from views.board.row import BoardRow

BEFORE: Final = "2026-01-09T06:00:00.000Z"
AT: Final = "2026-01-09T07:00:00.000Z"
LATER: Final = "2026-01-09T08:00:00.000Z"


@pytest.mark.parametrize(
    ("row", "nobody"),
    [
        ({"seen#ERROR": AT}, AT),
        ({"seen#ERROR": LATER, "seen#NORMAL": BEFORE}, AT),
        ({"seen#ERROR": AT, "seen#NORMAL": LATER}, None),  # it is over
        ({"seen#ERROR": LATER, "seen#NORMAL": AT}, None),  # it was about the trouble before
        ({"seen#ERROR": AT, "AcknowledgedBy": "op-17", "AcknowledgedLog": AT}, None),
        ({"seen#ERROR": AT, "AcknowledgedBy": "op-17", "AcknowledgedLog": BEFORE, "seen#NORMAL": BEFORE}, AT),
        ({"seen#NORMAL": AT, "SilentSince": AT}, AT),
        ({"seen#NORMAL": LATER, "SilentSince": AT}, None),  # it reports again
        ({"seen#NORMAL": AT}, None),
        ({}, None),
    ],
)
def test_that_nobody_was_told_is_shown_while_somebody_is_needed(row: dict[str, Any], nobody: str | None) -> None:
    whole = cast("BoardRow", {"EquipmentID": "press-7", "NobodyTold": AT, **row})

    assert to_response(whole).get("nobodyTold") == nobody
    assert "nobodyTold" not in to_response(cast("BoardRow", {"EquipmentID": "press-7", **row}))


def nobody_fact(number: int, at: int, **said: object) -> DomainEvent:
    wire = sample("domain", "nobody-found.call")
    about = {"callId": id_of_call(number), "equipmentId": "press-7"}
    nobody = {**wire["nobody"], "about": about, "since": times.to_utc(AT_MS + number), **said}
    event = {"id": f"nobody {number} {at}", "timestamp": AT_MS + at, "partitionKey": "press-7", "nobody": nobody}
    return DomainEvent.from_wire(wire | event)


def called(number: int, event_type: str, at: int, **said: object) -> DomainEvent:
    return call_fact(number, event_type, at, raisedAt=times.to_utc(AT_MS + number), **said)


def test_that_nobody_was_told_of_a_call_is_shown_until_somebody_takes_it_in_every_order() -> None:
    """A call of the same category that ended before, and one of another that is open, leave it as it is."""
    before = [called(1, "call-raised", 1), nobody_fact(1, 2), called(1, "call-closed", 3)]
    other = [called(2, "call-raised", 4, category="quality")]
    raised = [called(5, "call-raised", 5), nobody_fact(5, 6)]
    taken = called(5, "call-taken", 7)
    with OneTable("BOARD_TABLE", KEYS) as table:

        def shown(events: Sequence[DomainEvent]) -> set[str | None]:
            seen = set()
            for order in permutations(events):
                table.clear()
                for event in order:
                    ON[event.tags["source"], event.type](event).write(TABLE, event, ttl_days=None, now_ms=AT_MS + 100)
                [row] = table.rows()
                seen.add(to_response(cast("BoardRow", row)).get("nobodyTold"))
            return seen

        assert shown([*before, *other]) == {None}
        assert shown([*before, *raised]) == {times.to_utc(AT_MS + 5)}
        assert shown([*other, *raised, nobody_fact(2, 8, what="quality")]) == {times.to_utc(AT_MS + 2)}
        assert shown([*other, *raised, taken]) == {None}
