"""A shop in the whole loop: equipment that is registered, in a factory of its own, and time that goes on."""

from typing import Any

from contract import times
from local.in_process.loop import Answer, Loop
from local.in_process.world import frozen_clock
from tests.support.samples import NOW
from tests.support.services.reports import report, staff
from tests.support.services.versions import PUT, equipment

MINUTE = 60_000


def open_shop(loop: Loop, equipment_id: str, operators: list[str] | None = None) -> None:
    """Register a piece of equipment in a factory that is called as it is, and say who works there."""
    body = equipment() | {"factoryId": equipment_id}
    assert loop.request(PUT, path={"id": equipment_id}, body=body).status == 201
    assert staff(loop, equipment_id, operators or ["Liz"]).status == 201
    loop.run()


def reported(loop: Loop, equipment_id: str, state: str, minute: float) -> list[dict[str, Any]]:
    """Report a state when it is so, and let that go its way; return what was published."""
    at_ms = NOW + round(minute * MINUTE)
    with frozen_clock(at_ms):
        assert report(loop, equipment_id, state, times.to_utc(at_ms)).status == 201
        return loop.run()


def swept(loop: Loop, minute: float) -> list[dict[str, Any]]:
    """Let the clock tick at a minute; return what was published."""
    with frozen_clock(NOW + round(minute * MINUTE)):
        return loop.sweep()


def kinds(published: list[dict[str, Any]], equipment_id: str) -> list[str]:
    """Name what was published of a piece of equipment by dispatch."""
    return [
        envelope["detail-type"]
        for envelope in published
        if envelope["source"] == "dispatch" and envelope["detail"]["partitionKey"] == equipment_id
    ]


def log(equipment_id: str, state: str, minute: float) -> dict[str, str]:
    """Name a log."""
    return {"id": equipment_id, "state": state, "timestamp": times.to_utc(NOW + round(minute * MINUTE))}


def found(answer: Answer) -> Any:  # noqa: ANN401  a body
    """Return the body of what was found."""
    assert answer.status == 200, answer.body
    return answer.body
