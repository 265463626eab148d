"""Requests about an order, and what became of it."""

from typing import Any, Final

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.services.maintenance.samples import ORDER, PATH
from tests.support.samples import body_of, fact

NOW: Final = 1_767_258_000_000  # 2026-01-01T09:00Z
PLAN: Final = f"PUT {PATH}"
GET: Final = f"GET {PATH}"
HISTORY: Final = f"GET {PATH}/versions"
START: Final = f"POST {PATH}/start"
FINISH: Final = f"POST {PATH}/finish"


def register(loop: Loop) -> None:
    """Let maintenance hear of the machine."""
    with frozen_clock(NOW):
        loop.listen([body_of(fact("equipment-created"))])
        loop.run()


def send(
    loop: Loop,
    route: str,
    body: dict[str, Any] | None = None,
    *,
    if_match: int | None = None,
    by: str = "somebody",
    **more: str,
) -> Answer:
    """Send a request about the order; `more`: other members of its id."""
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    return loop.request(route, path={**ORDER, **more}, body=body, headers=headers, subject=by)


def statuses(loop: Loop) -> list[tuple[int, str]]:
    """The versions of the order, oldest first."""
    return [(one["version"], one["status"]) for one in reversed(send(loop, HISTORY).body["items"])]


def facts(loop: Loop) -> list[tuple[str, int]]:
    """What was published of orders since, by type and version."""
    published = [event for event in loop.run() if event["source"] == "maintenance"]
    return [
        (event["detail-type"].removeprefix("maintenance-"), event["detail"]["order"]["version"]) for event in published
    ]
