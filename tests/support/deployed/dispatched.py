"""Equipment that dispatch sees to, in a loop: registered, in a factory with a roster, with what it reported."""

from itertools import count
from typing import Any, Final

from andon.packages.package import Package
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from demo.people import EVA, LUIS, OMAR, ROSA
from tests.support.samples import NOW, body_of, fact

DISPATCH: Final = Package("services", "dispatch")
TABLE: Final = "DISPATCH_TABLE"
LEVELS: Final = ("company", "country", "region", "state", "county", "city", "neighborhood")
ROSTER: Final = {"operators": [EVA, LUIS, OMAR], "supervisor": ROSA}

_numbers = count(1)


def registered(loop: Loop) -> str:
    """Register another piece of equipment, in a factory of its own with a roster; dispatch knows of it."""
    equipment_id = f"press-{next(_numbers)}"
    factory_id = f"factory-of-{equipment_id}"
    body = {"name": "press", "factoryId": factory_id, "lineId": "1", "location": dict.fromkeys(LEVELS, "x")}
    with frozen_clock(NOW):
        put = loop.request("PUT /equipment/{id}", path={"id": equipment_id}, body=body)
        write = loop.request("PUT /factories/{factoryId}/roster", path={"factoryId": factory_id}, body=ROSTER)
        assert (put.status, write.status) == (201, 201)
        loop.run()
    return equipment_id


def collect(loop: Loop, equipment_id: str, *reports: tuple[str, int]) -> None:
    """Deliver reports (state, time) to dispatch's listener."""
    with frozen_clock(NOW):
        assert loop.deliver(DISPATCH, [_message(equipment_id, state, at_ms) for state, at_ms in reports]) == []


def collected(loop: Loop, equipment_id: str, *reports: tuple[str, int]) -> list[dict[str, Any]]:
    """Deliver reports to dispatch's listener; return the changes, which do not reach its trigger."""
    collect(loop, equipment_id, *reports)
    return loop.new_records(TABLE)


def _message(equipment_id: str, state: str, at_ms: int) -> str:
    told = {"equipmentId": equipment_id, "state": state, "timestamp": times.to_utc(at_ms)}
    return body_of(fact("state-reported", id=f"{equipment_id} {state} {at_ms}", at=at_ms, **told))
