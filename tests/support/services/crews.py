"""Requests that tests make of dispatch2: who is assigned to a log, as a crew."""

from collections.abc import Sequence
from typing import Any, Final

from andon.testing.loop import Answer, Loop
from tests.support.services.reports import log_path

ASSIGN_CREW: Final = "PUT /v2/equipment/{id}/logs/{state}/{timestamp}/assignment"
CREW: Final = "GET /v2/equipment/{id}/logs/{state}/{timestamp}/assignment"


def assign_crew(
    loop: Loop,
    equipment_id: str,
    lead: str,
    members: Sequence[str] = (),
    *,
    if_match: object = None,
    **parts: Any,  # noqa: ANN401  see `http_event`
) -> Answer:
    """Assign a log to a crew."""
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    path = parts.pop("path", log_path(equipment_id))
    body = {"crew": {"lead": lead, "members": list(members)}}
    return loop.request(ASSIGN_CREW, path=path, body=body, headers=headers, **parts)


def crew_of(loop: Loop, equipment_id: str, **parts: Any) -> Answer:  # noqa: ANN401  see `http_event`
    """Read which crew a log is assigned to."""
    return loop.request(CREW, path=parts.pop("path", log_path(equipment_id)), **parts)
