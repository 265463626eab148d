"""Presses in trouble for which a chain asks at once, after one minute and after two, on the deployed stack.

One is left alone; of the others somebody says, as soon as one was asked, that it was seen, or they are normal again.
"""

import time
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import factories, groups
from contract.levels import FIELDS
from demo.people import EVA, ROSA
from services.dispatch.tables import KEYS, partition_of

FACTORY: Final = "factory-of-chains"
ALONE: Final = "press-alone"
SEEN: Final = "press-seen"
NORMAL: Final = "press-normal-again"
PRESSES: Final = (ALONE, SEEN, NORMAL)
MANAGER: Final = "mg-01"

STEPS: Final = [
    {"after": after, "tell": tell, "urgency": "high"}
    for after, tell in ((0, "duty:operator"), (1, "duty:supervisor"), (2, "duty:manager"))
]
ROSTER: Final = {"operators": [EVA], "supervisor": ROSA, "manager": MANAGER}


class Asked(NamedTuple):
    """Somebody who was asked, and the seconds from the answer to the report until that was published."""

    person: str
    after_s: float


class ChainedPresses(NamedTuple):
    """When each press had reported, in epoch milliseconds."""

    reported_ms: dict[str, int]

    def asked(self, stack: Stack, press: str) -> list[Asked]:
        """Return who was asked about a press by now: the micro event store says when the fact was there."""
        found = stack.client("dynamodb").query(
            TableName=stack.outputs["DispatchTable"],
            KeyConditionExpression="pk = :pk AND begins_with(sk, :event)",
            ExpressionAttributeValues=to_typed({":pk": f"Equipment#{press}", ":event": "event#"}),
        )
        rows = [to_plain(item) for item in found["Items"]]
        events = [(DomainEvent.from_wire(row["event"]), int(row["arrived"])) for row in rows]
        return sorted(
            (
                Asked(event.entity("help").text("person"), (arrived_ms - self.reported_ms[press]) / 1000)
                for event, arrived_ms in events
                if event.type == "help-requested"
            ),
            key=lambda one: one.after_s,
        )


def begin(stack: Stack) -> ChainedPresses:
    """Register the presses, and let them report an error each; what ends two of the chains happens by itself."""
    operator, supervisor = stack.api(groups.OPERATOR), stack.api(groups.SUPERVISOR)
    assert supervisor.put(path_of("factories", FACTORY, "roster"), ROSTER).status == 201
    chains = [{"id": "errors", "on": ["ERROR"], "steps": STEPS}]
    assert supervisor.put(path_of("factories", FACTORY, "chains"), {"chains": chains}).status == 201
    for press in PRESSES:
        body = {"name": press, "factoryId": FACTORY, "lineId": "1", "location": dict.fromkeys(FIELDS, "x")}
        assert operator.put(path_of("equipment", press), body).status == 201
    for press in PRESSES:
        assert eventually(partial(_is_known, stack, press))
    reported = {press: _report(stack, press, "ERROR") for press in PRESSES}
    log = {"equipmentId": SEEN, "state": "ERROR", "timestamp": times.to_utc(reported[SEEN])}
    presses = ChainedPresses(reported)
    _once(lambda: bool(presses.asked(stack, SEEN)), lambda: operator.request("POST", "/acknowledgements", [log]))
    _once(lambda: bool(presses.asked(stack, NORMAL)), lambda: _report(stack, NORMAL, "NORMAL"))
    return presses


def _report(stack: Stack, press: str, state: str) -> int:
    now_ms = time.time_ns() // 1_000_000
    path = path_of("equipment", press, "states", times.to_utc(now_ms))
    assert stack.api(groups.OPERATOR).put(path, {"state": state}).status == 201
    return now_ms


def _once(holds: Callable[[], bool], happens: Callable[[], object]) -> None:
    Thread(target=lambda: eventually(holds) and happens(), daemon=True).start()


def _is_known(stack: Stack, press: str) -> bool:
    """Return True if dispatch knows where a press is: it begins no chain for one of which it does not."""
    key = to_typed(factories.key_of(KEYS, partition_of(press)))
    return "Item" in stack.client("dynamodb").get_item(TableName=stack.outputs["DispatchTable"], Key=key)
