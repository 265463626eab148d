"""Events as neighbours might publish them, by name: changes of a good report."""

import json
from collections.abc import Callable
from typing import Any, Final

from andon.runtime import times
from andon.testing.lambda_events import bus_message
from tests.support.samples import fact, sample

DAY_MS: Final = 86_400_000

Wire = dict[str, Any]
Change = Callable[[Wire], object]
"""Changes an envelope of the bus in place."""


def _at(wire: Wire, by_ms: int) -> None:
    """Move the time of a report."""
    detail = wire["detail"]
    detail["timestamp"] += by_ms
    detail["state"]["timestamp"] = times.to_utc(detail["timestamp"])


def _older(wire: Wire) -> None:
    state = wire["detail"]["state"]
    wire["detail"]["state"] = sample("domain", "state-reported.v0")["state"] | {
        "deviceId": state["equipmentId"],
        "state": state["state"],
        "timestamp": state["timestamp"].replace("Z", "000+00:00"),
    }


def _typed(wire: Wire, event_type: str) -> None:
    wire["detail-type"] = wire["detail"]["type"] = event_type


# They are read tolerantly.
USABLE: Final[dict[str, Change]] = {
    "older shape": _older,
    "more fields": lambda wire: wire["detail"]["state"].update(colour="blue", ttl=1, nested={"a": [1, {"b": None}]}),
    "no tags": lambda wire: wire["detail"].pop("tags"),
    "long ago": lambda wire: _at(wire, -34 * DAY_MS),
    "a little ahead": lambda wire: _at(wire, 240_000),
    "unknown member": lambda wire: wire["detail"].update(eem={"fields": ["detail"]}),
}

# No consumer can use them: each becomes a fault.
POISON: Final[dict[str, Change]] = {
    "no entity": lambda wire: wire["detail"].pop("state"),
    "entity is text": lambda wire: wire["detail"].update(state="ERROR"),
    "no time": lambda wire: wire["detail"]["state"].pop("timestamp"),
    "time is text": lambda wire: wire["detail"].update(timestamp="yesterday"),
    "state is no name": lambda wire: wire["detail"]["state"].update(state="error #1"),
    "long id": lambda wire: wire["detail"].update(id=wire["detail"]["id"] + "i" * 1_000),
    "no id": lambda wire: wire["detail"].pop("id"),
    "other type": lambda wire: _typed(wire, "state-dreamed"),
    "far ahead": lambda wire: _at(wire, 9_999_999_999_999 - wire["detail"]["timestamp"]),
    "next year": lambda wire: _at(wire, 400 * DAY_MS),
}

# The store tries it again until it is a dead letter: of a fault there is no fault.
NO_FAULT: Final = "no fault"

ODD: Final = (*USABLE, *POISON, NO_FAULT)


def odd_body(odd: str, machine: str, state: str, *, number: int, now_ms: int) -> str:
    """Return the message of an odd report; `number` tells it from others."""
    entity = {"equipmentId": machine, "state": state, "timestamp": times.to_utc(now_ms)}
    report = fact("state-reported", id=f"odd {number}", at=now_ms, **entity)
    wire = json.loads(bus_message(report, source="equipment"))
    wire["number"] = number
    change = {**USABLE, **POISON}.get(odd)
    change(wire) if change else _typed(wire, "fault")
    return json.dumps(wire, ensure_ascii=False)
