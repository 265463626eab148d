"""Requests that tests make: reports of states, and who sees to them."""

from collections.abc import Sequence
from typing import Any, Final

from andon.testing.loop import Answer, Loop
from demo.people import LIZ, SARA, SUE

REPORT: Final = "PUT /equipment/{id}/states/{timestamp}"
STATES: Final = "GET /equipment/{id}/states"
LATEST: Final = "GET /equipment/{id}/states/latest"
ASSIGN: Final = "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment"
ASSIGNMENT: Final = "GET /equipment/{id}/logs/{state}/{timestamp}/assignment"
ESCALATE: Final = "PUT /equipment/{id}/logs/{state}/{timestamp}/escalation"
ESCALATION: Final = "GET /equipment/{id}/logs/{state}/{timestamp}/escalation"
ACKNOWLEDGE: Final = "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement"
ACKNOWLEDGEMENT: Final = "GET /equipment/{id}/logs/{state}/{timestamp}/acknowledgement"
EPISODES: Final = "GET /equipment/{id}/episodes"
STAFF: Final = "PUT /factories/{factoryId}/roster"
ROSTER: Final = "GET /factories/{factoryId}/roster"
LOGS: Final = "GET /equipment/{id}/logs"
OPERATOR_LOGS: Final = "GET /operators/{operator}/logs"
ESCALATIONS: Final = "GET /supervisors/{supervisor}/escalations"

AT: Final = "2020-04-24T14:50:00.000Z"


def report(loop: Loop, equipment_id: str, state: str = "WARNING1", at: str = AT, **parts: Any) -> Answer:  # noqa: ANN401
    """Report a state."""
    body = parts.pop("body", {"state": state})
    return loop.request(REPORT, path={"id": equipment_id, "timestamp": at}, body=body, **parts)


def log_path(equipment_id: str, state: str = "WARNING1", at: str = AT) -> dict[str, str]:
    """Return the path of a log."""
    return {"id": equipment_id, "state": state, "timestamp": at}


def assign(loop: Loop, equipment_id: str, operator: str, *, if_match: object = None, **parts: Any) -> Answer:  # noqa: ANN401
    """Assign a log to an operator."""
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    path = parts.pop("path", log_path(equipment_id))
    return loop.request(ASSIGN, path=path, body={"operator": operator}, headers=headers, **parts)


def escalate(loop: Loop, equipment_id: str, supervisor: str, **parts: Any) -> Answer:  # noqa: ANN401
    """Escalate a log to a supervisor."""
    path = parts.pop("path", log_path(equipment_id))
    return loop.request(ESCALATE, path=path, body={"supervisor": supervisor}, **parts)


def acknowledge(loop: Loop, equipment_id: str, **parts: Any) -> Answer:  # noqa: ANN401
    """Acknowledge a log."""
    path = parts.pop("path", log_path(equipment_id))
    return loop.request(ACKNOWLEDGE, path=path, **parts)


def staff(
    loop: Loop,
    factory_id: str,
    operators: Sequence[str] = (LIZ, SUE),
    supervisor: str = SARA,
    *,
    if_match: object = None,
    **parts: Any,  # noqa: ANN401
) -> Answer:
    """Put the roster of a factory."""
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    body = {"operators": list(operators), "supervisor": supervisor}
    return loop.request(STAFF, path={"factoryId": factory_id}, body=body, headers=headers, **parts)


def told_of(loop: Loop, equipment_id: str) -> list[dict[str, Any]]:
    """Run the loop; return what was published about a piece of equipment."""
    return [envelope for envelope in loop.run() if envelope["detail"].get("partitionKey") == equipment_id]
