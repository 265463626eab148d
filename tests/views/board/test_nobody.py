"""Nobody was told: shown while somebody is needed, and until somebody has seen it."""

from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from views.board.standing import to_response

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
