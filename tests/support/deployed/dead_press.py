"""A press that died while nobody looked; the schedule, which comes each minute, decides upon it."""

import time
from typing import Final, NamedTuple

from andon.runtime import times
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from contract.levels import FIELDS
from demo.people import EVA, ROSA

MINUTE_MS: Final = 60_000
ID: Final = "press-that-dies"
FACTORY: Final = "factory-of-the-dead"


class DeadPress(NamedTuple):
    """The press, and the time of its last report."""

    id: str
    died_at: str


def die(stack: Stack) -> DeadPress:
    """Register a press in a factory with a roster, and let it report an error of long ago."""
    operator, supervisor = stack.api(groups.OPERATOR), stack.api(groups.SUPERVISOR)
    body = {"name": "press", "factoryId": FACTORY, "lineId": "1", "location": dict.fromkeys(FIELDS, "x")}
    roster = {"operators": [EVA], "supervisor": ROSA}
    died_at = times.to_utc(int(time.time()) * 1000 - 40 * MINUTE_MS)
    assert operator.put(path_of("equipment", ID), body).status == 201
    assert supervisor.put(path_of("factories", FACTORY, "roster"), roster).status == 201
    assert eventually(lambda: operator.get(path_of("equipment", ID, "board")).status == 200)
    assert operator.put(path_of("equipment", ID, "states", died_at), {"state": "ERROR"}).status == 201
    return DeadPress(ID, died_at)
