"""A gateway's store and sender in a process that is killed: it goes on from what its store says.

Arguments: a folder, for HTTPS with the file `token`, a URL (mqtt:// for MQTT; `configured` for what the folder's
`andon.json` says, as the table `[andon]` of a configuration), how many reports, their seed, seconds until an answer is
given up, and the members of `Machines` as JSON.
"""

import json
import sys
import threading
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

from andon_gateway.brokers import Broker
from andon_gateway.clock import Clock
from andon_gateway.https import Https
from andon_gateway.mqtt_north import MqttNorth
from andon_gateway.north import ByMqtt, North, north_of
from andon_gateway.sender import Sender
from andon_gateway.store import Store
from andon_gateway.tables import Table
from andon_gateway.tokens import Tokens
from lab.gateway.workload import FIRST_MS, Machines, Made, workload

MOST_AT_ONCE: Final = 40
FIRST_PAUSE_S: Final = 0.002
MQTT: Final = "mqtt://"
CONFIGURED: Final = "configured"
ANDON: Final = "andon.json"
TOPIC: Final = "$aws/rules/Andon_factory/Andon/factory/Andon:gdl-1/states"


def main() -> None:
    """Feed and send until all has gone."""
    folder, url, timeout_s = Path(sys.argv[1]), sys.argv[2], float(sys.argv[5])
    made = workload(int(sys.argv[3]), int(sys.argv[4]), Machines(**json.loads(sys.argv[6])))
    if url == CONFIGURED or url.startswith(MQTT):
        made = [one for one in made if not one.is_poison]  # nobody would refuse them
    store = Store(folder / "reports.db")
    fed, stopped = threading.Event(), threading.Event()
    threading.Thread(target=_feed, args=(store, made, fed), daemon=True).start()
    sender = Sender(store, _north(url, folder, timeout_s), counts=Counter(), first_s=FIRST_PAUSE_S)
    while not (fed.is_set() and store.waiting == 0):
        stopped.wait(min(sender.step(), 0.01))
    store.close()


def _north(url: str, folder: Path, timeout_s: float) -> North:
    if url == CONFIGURED:
        settings = north_of(Table(json.loads((folder / ANDON).read_text()), "andon"), folder)
        if not isinstance(settings, ByMqtt):
            raise ValueError(f"{ANDON}: should say via mqtt")
        return MqttNorth(settings, clock=Clock(is_trusted=True), answer_s=timeout_s)
    if url.startswith(MQTT):
        host, _, port = url.removeprefix(MQTT).partition(":")
        clock = Clock(is_trusted=True, wall=lambda: FIRST_MS / 1000)
        return MqttNorth(ByMqtt(Broker(host, int(port)), TOPIC), clock=clock, answer_s=timeout_s)
    return Https(url, tokens=Tokens(file=folder / "token"), clock=Clock(is_trusted=False), timeout_s=timeout_s)


def _feed(store: Store, made: list[Made], fed: threading.Event) -> None:
    last = {machine: one.at_ms for machine, one in store.last.items()}
    left = [one for one in made if one.report.at_ms > last.get(one.machine, 0)]
    chance = Random()  # noqa: S311
    while left:
        batch, left = left[: (most := chance.randint(1, MOST_AT_ONCE))], left[most:]
        store.add(batch)
    fed.set()


if __name__ == "__main__":
    main()
