"""Factories whose machines report, and whom their chains ask, through the API."""

import time
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import to_typed
from andon.runtime import times
from andon.runtime.json_types import JsonObject
from andon.tools.stack.api import HttpResponse, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import factories, groups
from contract.levels import FIELDS
from lab.attack.wire import side_by_side
from lab.telling.seen import TABLE
from lab.telling.target import Target
from services.dispatch.tables import KEYS, partition_of

CLIENTS: Final = 2
KNOWN_S: Final = 120
REPORTS: Final = 100  # of a request
TAKEN: Final = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED})


class Plant(NamedTuple):
    """A factory, and its machines."""

    target: Target
    factory: str
    machines: Sequence[str]

    def open(self, roster: JsonObject, steps: Sequence[JsonObject]) -> None:
        """Write down who is there and whom errors are told, and register the machines."""
        chains = {"chains": [{"id": "errors", "on": ["ERROR"], "steps": [*steps]}]}
        supervisor, operator = (self.target.stack.api(group) for group in (groups.SUPERVISOR, groups.OPERATOR))
        _require(supervisor.put(path_of("factories", self.factory, "roster"), roster))
        _require(supervisor.put(path_of("factories", self.factory, "chains"), chains))
        place = {"factoryId": self.factory, "lineId": "1", "location": dict.fromkeys(FIELDS, "x")}
        side_by_side(
            lambda machine: _require(operator.put(path_of("equipment", machine), {"name": machine, **place})),
            [*self.machines],
            clients=CLIENTS,
        )
        for machine in self.machines:
            if not eventually(partial(is_known, self.target.stack, machine), within_s=KNOWN_S):
                raise ToolFailed(f"{machine} was registered, and dispatch has not heard of it")

    def report(self, *machines: str, state: str = "ERROR") -> float:
        """Report a state of machines at once; return when that was, in epoch seconds to the millisecond."""
        now_ms = time.time_ns() // 1_000_000
        now = times.to_utc(now_ms)
        for first in range(0, len(machines), REPORTS):
            body = [{"equipmentId": one, "state": state, "timestamp": now} for one in machines[first : first + REPORTS]]
            _require(self.target.stack.api(groups.OPERATOR).request("POST", "/states", body))
        return now_ms / 1000

    def acknowledge(self, machine: str, reported: float) -> None:
        """Say that somebody has seen the error that a machine reported then."""
        log = {"equipmentId": machine, "state": "ERROR", "timestamp": times.to_utc(round(reported * 1000))}
        _require(self.target.stack.api(groups.OPERATOR).request("POST", "/acknowledgements", [log]))


def is_known(stack: Stack, machine: str) -> bool:
    """Return True if dispatch knows where a machine is: it begins no chain for one of which it does not."""
    key = to_typed(factories.key_of(KEYS, partition_of(machine)))
    return "Item" in stack.client("dynamodb").get_item(TableName=stack.outputs[TABLE], Key=key)


def steps(*tell: str) -> list[JsonObject]:
    """Return the steps of a chain that asks all of them at once."""
    return [{"after": 0, "tell": one, "urgency": "high"} for one in tell]


def _require(answer: HttpResponse) -> HttpResponse:
    if answer.status not in TAKEN:
        raise ToolFailed(f"the API answered {answer.status}: {answer.body.decode(errors='replace')}")
    return answer
