"""A broker in the place of AWS IoT: loses acknowledgements, hangs up, takes nothing; what it took is a fact."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lab.gateway.broker import HOST, Broker
from lab.gateway.hostile_api import HostileApi
from lab.gateway.packets import Publication
from lab.gateway.torture import Outcome, child_of, judged, run_killed
from lab.gateway.workload import workload

TIMEOUT_S: Final = 0.25
TAKEN: Final[Mapping[str, int]] = {"acknowledge": 60, "lose": 8, "hang up": 8, "acknowledge another": 5}
NOT_TAKEN: Final[Mapping[str, int]] = {
    "lose, not taken": 5,
    "hang up, not taken": 8,
    "acknowledge another, not taken": 3,
}
KINDS: Final = {**TAKEN, **NOT_TAKEN}


def torture(folder: Path, *, count: int, kills: int, seed: int) -> Outcome:
    """Return the fate of reports over MQTT; kills come at even parts of the way."""
    api, made = HostileApi(seed), [one for one in workload(count, seed) if not one.is_poison]

    def take(sent: Publication) -> str:
        kind = api.draw((*KINDS,), (*KINDS.values(),))
        if kind in TAKEN:
            api.publish(json.loads(sent.content))
        return kind.partition(",")[0]

    with Broker(take) as broker:
        url = f"mqtt://{HOST}:{broker.port}"
        command = child_of(folder, url, count, seed, timeout_s=TIMEOUT_S)
        killed = run_killed(command, api, [number * len(made) // (kills + 2) for number in range(1, kills + 1)])
    return judged(made, api, folder, killed)
