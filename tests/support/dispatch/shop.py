"""A shop in the whole loop: registered equipment, each in a factory of its own, and a clock that moves on."""

from typing import Any

from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from demo.people import LIZ
from tests.support.samples import NOW
from tests.support.services.reports import report, staff
from tests.support.services.versions import PUT, equipment

MINUTE = 60_000


def open_shop(loop: Loop, equipment_id: str, operators: list[str] | None = None) -> None:
    """Register a piece of equipment in a factory of the same name, and put the roster of that factory."""
    body = equipment() | {"factoryId": equipment_id}
    assert loop.request(PUT, path={"id": equipment_id}, body=body).status == 201
    assert staff(loop, equipment_id, operators or [LIZ]).status == 201
    loop.run()


def reported(loop: Loop, equipment_id: str, state: str, minute: float) -> list[dict[str, Any]]:
    """Report a state at its own time, and run the loop; return what was published."""
    at_ms = NOW + round(minute * MINUTE)
    with frozen_clock(at_ms):
        assert report(loop, equipment_id, state, times.to_utc(at_ms)).status == 201
        return loop.run()


def swept(loop: Loop, minute: float) -> list[dict[str, Any]]:
    """Run the sweep at a minute; return what was published."""
    with frozen_clock(NOW + round(minute * MINUTE)):
        return loop.sweep()


def kinds(published: list[dict[str, Any]], equipment_id: str) -> list[str]:
    """Return the types of what dispatch published about a piece of equipment."""
    return [
        envelope["detail-type"]
        for envelope in published
        if envelope["source"] == "dispatch" and envelope["detail"]["partitionKey"] == equipment_id
    ]


def log(equipment_id: str, state: str, minute: float) -> dict[str, str]:
    """Return the path of a log."""
    return {"id": equipment_id, "state": state, "timestamp": times.to_utc(NOW + round(minute * MINUTE))}


def found(answer: Answer) -> Any:  # noqa: ANN401  a body
    """Return the body of a response that is 200."""
    assert answer.status == 200, answer.body
    return answer.body
