"""A lake of the sample that the real loop made: machines that report for a shift, with a sweep each minute.

`python -m tests.tools.what_if.lived DIR` writes one into a folder, by the code of the tree in which it runs.
"""

import gzip
import json
import random
import sys
from collections import defaultdict
from pathlib import Path

from andon.packages.package import Package
from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from demo.people import LIZ, SARA, SUE
from tests.support.dispatch.chains import CHAINS, chain, step
from tests.support.samples import NOW
from tests.support.services.reports import ACKNOWLEDGE, ASSIGN, REPORT, STAFF
from tests.support.services.versions import PUT

MACHINES = ("press-7", "säge-ü", "gdl#2")
MINUTES = 150
SWEPT = (Package("services", "dispatch"), Package("services", "notify"))
# One person is asked about all machines, and so are messages to them: rules of notify look across machines.
STOPPED = chain("stopped", ["ERROR", "WARNING1"], step(0, SUE), step(5, SUE), step(15, SARA))


def lived_lines() -> list[str]:
    """The lake of a shift of three machines, with late reports, and people who see to some of them."""
    with Loop() as loop:
        live(loop, random.Random(1))  # noqa: S311  chance is no secret
        return lines_of(loop)


def live(loop: Loop, chance: random.Random, *, minutes: int = MINUTES) -> None:
    _begin(loop)
    logs = list[dict[str, str]]()
    for minute in range(1, minutes):
        # Each event is taken in a second of its own: the lake has whole seconds.
        for number in range(chance.choice((0, 0, 0, 1, 1, 2))):
            with frozen_clock(NOW + minute * MINUTE_MS + number * 7_000):
                _act(loop, chance, logs, NOW + minute * MINUTE_MS + number * 7_000)
                loop.run()
        with frozen_clock(NOW + minute * MINUTE_MS + 30_000):
            for package in SWEPT:
                loop.invoke(package, "sweep", {})
            loop.run()


def _begin(loop: Loop) -> None:
    with frozen_clock(NOW):
        people = {"operators": [LIZ, SARA], "supervisor": SUE}
        assert loop.request(STAFF, path={"factoryId": "gdl-1"}, body=people).status == 201
        assert loop.request(CHAINS, path={"factoryId": "gdl-1"}, body={"chains": [STOPPED]}).status == 201
        place = dict.fromkeys(("company", "country", "region", "state", "county", "city", "neighborhood"), "x")
        for machine in MACHINES:
            body = {"name": machine, "factoryId": "gdl-1", "lineId": "l", "location": place}
            assert loop.request(PUT, path={"id": machine}, body=body).status == 201
        loop.run()


def _act(loop: Loop, chance: random.Random, logs: list[dict[str, str]], now: int) -> None:
    dice = chance.random()
    if dice < 0.6 or not logs:
        machine, state = chance.choice(MACHINES), chance.choice(("NORMAL", "WARNING1", "ERROR", "ERROR"))
        time = times.to_utc(now - chance.choice((0, 0, 0, 2, 20)) * MINUTE_MS)
        loop.request(REPORT, path={"id": machine, "timestamp": time}, body={"state": state})
        logs.append({"id": machine, "state": state, "timestamp": time})
    elif dice < 0.8:
        loop.request(ACKNOWLEDGE, path=chance.choice(logs[-5:]))
    else:
        loop.request(ASSIGN, path=chance.choice(logs[-5:]), body={"operator": LIZ})


def lines_of(loop: Loop) -> list[str]:
    """The lines of the loop's lake."""
    bodies = loop.store[loop.buckets["LAKE_BUCKET"]].bodies
    objects = [body for key, body in sorted(bodies.items()) if key.startswith("events/")]
    return [line for body in objects for line in gzip.decompress(body).decode().split("\n")[:-1]]


def in_objects(lines: list[str], folder: Path) -> Path:
    """A lake of these lines, in an object for each day."""
    days = defaultdict[str, list[str]](list)
    for line in lines:
        days[json.loads(line)["time"][:10]].append(line)
    for day, found in days.items():
        file = folder / "events" / f"day={day}" / "hour=00" / f"{day}.ndjson.gz"
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress("".join(f"{line}\n" for line in found).encode(), 1))
    return folder


if __name__ == "__main__":
    in_objects(lived_lines(), Path(sys.argv[1]))
