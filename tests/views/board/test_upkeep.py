"""Maintenance on the board: what is under way, what is next, what is overdue, and what it hides meanwhile."""

from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from contract.entities.planning import OpenOrder
from views.board.standing import to_response

if TYPE_CHECKING:
    from views.board.row import BoardRow

OIL: Final[OpenOrder] = {"date": "2026-01-05", "kind": "oil", "plannedFor": "2026-01-09"}
BEGUN: Final[OpenOrder] = {**OIL, "startedAt": "2026-01-09T08:00:00.000Z"}
GREASE: Final[OpenOrder] = {"date": "2026-01-07", "kind": "grease", "plannedFor": "2026-01-07"}
AT: Final = "2026-01-09T07:00:00.000Z"


def shown(**row: Any) -> dict[str, Any]:  # noqa: ANN401
    trouble = {"Risk": {"since": AT, "reason": "thrice"}, "RiskSince": AT, "SilentSince": AT, "seen#ERROR": AT}
    return dict(to_response(cast("BoardRow", {"EquipmentID": "press-7", **trouble, **row})))


def test_while_an_order_is_under_way_it_is_neither_silent_nor_at_risk() -> None:
    before, under_way = shown(), shown(UnderWay=[BEGUN])

    assert {"silentSince", "atRisk"} <= before.keys()
    assert not {"silentSince", "atRisk"} & under_way.keys()
    assert under_way["underWay"] == [BEGUN]
    assert under_way["state"] == "ERROR"


@pytest.mark.parametrize(
    ("row", "overdue"),
    [
        ({"NextOrder": OIL}, None),
        ({"OverdueDay": "2026-01-09"}, None),  # it is finished
        ({"OverdueDay": "2026-01-08", "NextOrder": OIL}, None),  # it was moved
        ({"OverdueDay": "2026-01-09", "NextOrder": OIL}, OIL),
        ({"OverdueDay": "2026-01-09", "UnderWay": [BEGUN]}, BEGUN),
        ({"OverdueDay": "2026-01-09", "UnderWay": [BEGUN], "NextOrder": GREASE}, GREASE),
    ],
)
def test_what_is_still_open_after_its_day_is_overdue(row: dict[str, Any], overdue: OpenOrder | None) -> None:
    assert shown(**row).get("overdue") == overdue
