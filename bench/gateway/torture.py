"""A gateway that is killed again and again, before a hostile API: what was lost, doubled, or became something else."""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

from andon_gateway.clock import to_utc
from andon_gateway.store import Store
from bench.gateway.hostile_api import HostileApi, served
from bench.gateway.workload import Made, workload

LOOK_S: Final = 0.002
LONGEST_S: Final = 300


class Outcome(NamedTuple):
    """What became of the reports; again: those that were taken more than once, as the same fact."""

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
    """Return what became of reports; kills come at even parts of the way."""
    (folder / "token").write_text("secret")
    api, made = HostileApi(seed), workload(count, seed)
    killed = 0
    with served(api) as url:
        command = [sys.executable, "-m", "bench.gateway.child", str(folder), url, str(count), str(seed)]
        for number in range(kills + 1):
            is_last = number == kills
            killed += not _run(command, api, None if is_last else (number + 1) * count // (kills + 2))
    return judged(made, api, folder, killed)


def _run(command: list[str], api: HostileApi, until: int | None) -> bool:
    """Run a child until so many facts are there, then kill it; return True if it came to its end."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
    ends_s = time.monotonic() + LONGEST_S
    with subprocess.Popen(command, env=environment) as child:
        while child.poll() is None and time.monotonic() < ends_s:
            if until is not None and len(api.facts) >= until:
                break
            time.sleep(LOOK_S)
        child.kill()
    return child.returncode == 0


def judged(made: list[Made], api: HostileApi, folder: Path, killed: int) -> Outcome:
    """Compare facts, and what was refused, with what was made up."""
    expected = {(one.machine, to_utc(one.report.at_ms)): one for one in made if not one.is_poison}
    came = Counter((fact["equipmentId"], fact["timestamp"]) for fact in api.facts.values())
    altered = 0
    for fact in api.facts.values():
        one = expected.get((fact["equipmentId"], fact["timestamp"]))
        altered += one is None or (fact["state"], fact.get("detail")) != (one.report.state, one.report.detail)
    store = Store(folder / "reports.db")
    refused = {(machine, at_ms) for machine, at_ms, *_ in store.reasons()}
    store.close()
    return Outcome(
        lost=len(expected.keys() - came.keys()),
        doubled=sum(times - 1 for times in came.values()),
        altered=altered,
        wrongly_refused=len(refused ^ {(one.machine, one.report.at_ms) for one in made if one.is_poison}),
        again=sum(times > 1 for times in api.times.values()),
        kills=killed,
        mischief=api.done,
    )
