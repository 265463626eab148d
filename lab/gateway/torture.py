"""A gateway that is killed again and again before a hostile API: what was lost, doubled, or became something else."""

import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from andon_gateway.clock import to_utc
from andon_gateway.store import Store
from lab.gateway.hostile_api import LOOK_S, HostileApi, served
from lab.gateway.workload import Machines, Made, workload

LONGEST_S: Final = 300
TIMEOUT_S: Final = 1.0  # much, so that a busy machine gets on, and less than `HANG_S`


class Outcome(NamedTuple):
    """Fate of the reports; again: those that were taken more than once, as the same fact."""

    lost: int
    doubled: int
    altered: int
    wrongly_refused: int
    again: int
    kills: int
    mischief: Counter[str]

    @property
    def is_clean(self) -> bool:
        """True if each report is one fact, with its content."""
        return not (self.lost or self.doubled or self.altered or self.wrongly_refused)


def torture(folder: Path, *, count: int, kills: int, seed: int) -> Outcome:
    """Return the fate of reports; kills come at even parts of the way."""
    (folder / "token").write_text("secret")
    api, made = HostileApi(seed), workload(count, seed)

    with served(api) as url:
        command = child_of(folder, url, count, seed, timeout_s=TIMEOUT_S)
        killed = run_killed(command, api, [number * count // (kills + 2) for number in range(1, kills + 1)])
    return judged(made, api, folder, killed)


def run_killed(command: list[str], api: HostileApi, at: Iterable[int]) -> int:
    """Run a child, killed at so many facts, beyond which it gets no answers, then to its end; count the kills."""
    killed = 0
    for api.most in (*at, math.inf):
        killed += not run(command, lambda: len(api.facts) >= api.most)
    return killed


def child_of(
    folder: Path, url: str, count: int, seed: int, *, timeout_s: float, machines: Machines | None = None
) -> list[str]:
    """Return the command of a gateway for reports that are made up."""
    whose = json.dumps((machines or Machines())._asdict())
    numbers = (str(count), str(seed), str(timeout_s))
    return [sys.executable, "-m", "lab.gateway.child", str(folder), url, *numbers, whose]


def run(command: list[str], is_enough: Callable[[], bool]) -> bool:
    """Run a child until it is enough, then kill it; return True if it came to its end before."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
    ends_s = time.monotonic() + LONGEST_S
    with subprocess.Popen(command, env=environment) as child:
        while child.poll() is None and time.monotonic() < ends_s and not is_enough():
            time.sleep(LOOK_S)
        child.kill()
    return child.returncode == 0


def judged(made: list[Made], api: HostileApi, folder: Path, killed: int) -> Outcome:
    """Compare the facts of a hostile API, and what was refused, with what was made up."""
    outcome = compared(made, api.facts.values(), folder, killed)
    return outcome._replace(again=sum(times > 1 for times in api.times.values()), mischief=api.done)


def compared(made: list[Made], facts: Collection[Mapping[str, object]], folder: Path, killed: int) -> Outcome:
    """Compare facts, and what was refused, with what was made up."""
    expected = {(one.machine, to_utc(one.report.at_ms)): one for one in made if not one.is_poison}
    came = Counter((str(fact["equipmentId"]), str(fact["timestamp"])) for fact in facts)
    altered = 0
    for fact in facts:
        one = expected.get((str(fact["equipmentId"]), str(fact["timestamp"])))
        altered += one is None or (fact["state"], fact.get("detail")) != (one.report.state, one.report.detail)
    store = Store(folder / "reports.db")
    refused = {(machine, at_ms) for machine, at_ms, *_ in store.reasons()}
    store.close()
    return Outcome(
        lost=len(expected.keys() - came.keys()),
        doubled=sum(times - 1 for times in came.values()),
        altered=altered,
        wrongly_refused=len(refused ^ {(one.machine, one.report.at_ms) for one in made if one.is_poison}),
        again=0,
        kills=killed,
        mischief=Counter(),
    )
