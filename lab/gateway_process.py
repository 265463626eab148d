"""Reports that are made up from a seed, a process of a gateway that sends them, and what became of them.

The process is killed, and goes on from what its store says. Arguments: a folder, where `way.json` says the way to the
API, how many reports, their seed, seconds until an answer is given up, and the members of `Machines` as JSON. A way:
`url`, by HTTPS with the file `token`; `port` of a broker of this machine; or `andon`, the table of a configuration.
"""

import json
import sys
import threading
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from andon_gateway.brokers import Broker
from andon_gateway.clock import Clock, to_utc
from andon_gateway.https import Https
from andon_gateway.mqtt_north import MqttNorth
from andon_gateway.north import ByMqtt, North, north_of
from andon_gateway.sender import Sender
from andon_gateway.states import Report
from andon_gateway.store import Store
from andon_gateway.tables import Table
from andon_gateway.tokens import Tokens

MACHINES: Final = 20
FIRST_MS: Final = 1_790_000_000_000
APART_MS: Final = 7
STATES: Final = ("NORMAL", "WARNING1", "ERROR")
WORDS: Final = ("oil at 81 °C", 'a "quote"', "", "línea 3", "x" * 200)
POISON: Final = "never taken"
POISONOUS: Final = 0.01

STORE: Final = "reports.db"

MOST_AT_ONCE: Final = 40
FIRST_PAUSE_S: Final = 0.002
WAY: Final = "way.json"
TOPIC: Final = "$aws/rules/Andon_factory/Andon/factory/Andon:gdl-1/states"


class Made(NamedTuple):
    """A report that was made up."""

    machine: str
    report: Report

    @property
    def is_poison(self) -> bool:
        """True if the API refuses it for ever."""
        return self.report.detail == POISON


class Machines(NamedTuple):
    """Whose reports are made up: machines with a prefix, from a time on; `poisoned`: the one of the refused reports."""

    prefix: str = "press-"
    first_ms: int = FIRST_MS
    poisoned: str | None = None


def workload(count: int, seed: int, machines: Machines | None = None) -> list[Made]:
    """Return reports in the order in which they happen; the times of a machine increase."""
    machines, dice = machines or Machines(), Random(seed)  # noqa: S311  readings are no secret
    made = []
    for number in range(count):
        detail = POISON if dice.random() < POISONOUS else dice.choice((None, *WORDS))
        report = Report(dice.choice(STATES), machines.first_ms + number * APART_MS, detail)
        machine = f"{machines.prefix}{dice.randrange(MACHINES)}"
        made.append(Made(machines.poisoned or machine if detail == POISON else machine, report))
    return made


def not_added(store: Store, made: Sequence[Made]) -> list[Made]:
    """Return those that a store never had; it remembers the last one of each machine."""
    last = {machine: one.at_ms for machine, one in store.last.items()}
    return [one for one in made if one.report.at_ms > last.get(one.machine, 0)]


class Fate(NamedTuple):
    """Fate of the reports.

    is_over: all has gone; again: those that were taken more than once, as the same fact; mischief: what was done.
    """

    lost: int
    doubled: int
    altered: int
    wrongly_refused: int
    is_over: bool = True
    again: int = 0
    kills: int = 0
    mischief: Mapping[str, int] = {}

    @property
    def is_clean(self) -> bool:
        """True if each report is one fact, with its content, and nothing waits."""
        return self.is_over and not (self.lost or self.doubled or self.altered or self.wrongly_refused)


def judged(made: Sequence[Made], facts: Collection[Mapping[str, object]], folder: Path) -> Fate:
    """Compare facts, and what was refused by the store in a folder, with what was made up."""
    expected = {(one.machine, to_utc(one.report.at_ms)): one.report for one in made if not one.is_poison}
    came = Counter((str(fact["equipmentId"]), str(fact["timestamp"])) for fact in facts)
    altered = 0
    for fact in facts:
        report = expected.get((str(fact["equipmentId"]), str(fact["timestamp"])))
        altered += report is None or (fact["state"], fact.get("detail")) != (report.state, report.detail)
    store = Store(folder / STORE)
    refused = Counter((machine, at_ms) for machine, at_ms, *_ in store.reasons())
    store.close()
    poison = Counter((one.machine, one.report.at_ms) for one in made if one.is_poison)
    return Fate(
        lost=len(expected.keys() - came.keys()),
        doubled=sum(times - 1 for times in came.values()),
        altered=altered,
        wrongly_refused=((refused - poison) + (poison - refused)).total(),
    )


def main() -> None:
    """Feed and send until all has gone."""
    folder, timeout_s = Path(sys.argv[1]), float(sys.argv[4])
    way: dict[str, Any] = json.loads((folder / WAY).read_text())
    made = workload(int(sys.argv[2]), int(sys.argv[3]), Machines(**json.loads(sys.argv[5])))
    if "url" not in way:
        made = [one for one in made if not one.is_poison]  # nobody would refuse them
    store = Store(folder / STORE)
    fed, stopped = threading.Event(), threading.Event()
    threading.Thread(target=_feed, args=(store, made, fed), daemon=True).start()
    sender = Sender(store, _north(way, folder, timeout_s), counts=Counter(), first_s=FIRST_PAUSE_S)
    while not (fed.is_set() and store.waiting == 0):
        stopped.wait(min(sender.step(), 0.01))
    store.close()


def _north(way: dict[str, Any], folder: Path, timeout_s: float) -> North:
    if "url" in way:
        tokens = Tokens(file=folder / "token")
        return Https(way["url"], tokens=tokens, clock=Clock(is_trusted=False), timeout_s=timeout_s)
    if "port" in way:
        clock = Clock(is_trusted=True, wall=lambda: FIRST_MS / 1000)
        return MqttNorth(ByMqtt(Broker("127.0.0.1", way["port"]), TOPIC), clock=clock, answer_s=timeout_s)
    settings = north_of(Table(way["andon"], "andon"), folder)
    if not isinstance(settings, ByMqtt):
        raise TypeError(f"{WAY}: should say via mqtt")
    return MqttNorth(settings, clock=Clock(is_trusted=True), answer_s=timeout_s)


def _feed(store: Store, made: list[Made], fed: threading.Event) -> None:
    left, dice = not_added(store, made), Random()  # noqa: S311  a size is no secret
    while left:
        batch, left = left[: (most := dice.randint(1, MOST_AT_ONCE))], left[most:]
        store.add(batch)
    fed.set()


if __name__ == "__main__":
    main()
