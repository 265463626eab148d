"""AWS's own sample of the device-monitoring use case: its rows, as commands to this API.

The rows name people; the commands have their badges.
The rows are of April 2020 and would have expired before they arrive; all move by the same whole number of days.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from andon.tools.stack.api import path_of
from contract import groups
from demo.people import BADGES

_SAMPLE: Final = Path(__file__).parent / "device-state-log" / "DeviceStateLog_7.json"


@dataclass(frozen=True, slots=True)
class SampleLog:
    """One row of the sample; `timestamp` as the API writes it, fixed-width UTC; people by their badges."""

    equipment: str
    state: str
    timestamp: str
    operator: str
    escalated_to: str | None

    @property
    def answer(self) -> dict[str, str]:
        """The log as the API answers it."""
        named = {
            "equipmentId": self.equipment,
            "state": self.state,
            "timestamp": self.timestamp,
            "operator": self.operator,
            "escalatedTo": self.escalated_to,
        }
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class RoleRequest:
    """A request, and the group whose user sends it."""

    role: str
    path: str
    body: dict[str, str]


def sample(days: int = 0) -> tuple[SampleLog, ...]:
    """Read the sample, moved by `days`."""
    rows: list[dict[str, Any]] = json.loads(_SAMPLE.read_text())["DataModel"][0]["TableData"]
    return tuple(
        SampleLog(
            equipment=row["DeviceID"]["S"],
            state=row["State"]["S"],
            timestamp=moved(row["Date"]["S"], days),
            operator=BADGES[row["Operator"]["S"]],
            escalated_to=BADGES.get(row.get("EscalatedTo", {}).get("S")),
        )
        for row in rows
    )


def moved(time: str, days: int) -> str:
    """Move `2020-04-24T14:40:00` by `days`, to fixed-width UTC."""
    when = datetime.fromisoformat(time).replace(tzinfo=UTC) + timedelta(days=days)
    return f"{when:%Y-%m-%dT%H:%M:%S}.000Z"


def days_until(newest: date) -> int:
    """Return by how many days the sample moves so that its newest row falls on `newest`."""
    last = max(log.timestamp for log in sample())
    return (newest - date.fromisoformat(last[:10])).days


def commands(logs: Sequence[SampleLog]) -> Iterable[RoleRequest]:
    """Yield the commands that bring `logs` into the system, in order. To send them again changes nothing."""
    for log in logs:
        yield state_report(log)
    for log in logs:
        named = path_of("equipment", log.equipment, "logs", log.state, log.timestamp)
        yield RoleRequest(groups.OPERATOR, f"{named}/assignment", {"operator": log.operator})
        if log.escalated_to:
            yield RoleRequest(groups.OPERATOR, f"{named}/escalation", {"supervisor": log.escalated_to})


def state_report(log: SampleLog) -> RoleRequest:
    """Return the command that reports `log`; an operator's, because a device reports for itself only."""
    return RoleRequest(
        groups.OPERATOR, path_of("equipment", log.equipment, "states", log.timestamp), {"state": log.state}
    )
