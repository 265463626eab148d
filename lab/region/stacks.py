"""The drill once for real: two deployed stacks on two emulators, of which one is killed in the middle of writes.

S3 replicates nothing here: a thread copies each object of the lake some seconds after it was written.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from andon.cdk.target import LOCAL
from andon.packages.discovery import views
from andon.recorded.lake import EVENTS
from andon.runtime import times
from andon.testing.proving.deployed import DeployedWorld
from andon.testing.proving.prover import Record
from andon.tools.listings import keys_in
from andon.tools.region.restore import LAKE, restore
from andon.tools.stack import audit, emulator
from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack, bring_up
from andon.tools.views.deployed import Deployed
from andon.tools.views.fill import replay

WRITES_S: Final = (90, 120)
_PUBLISHED_WITHIN_S: Final = 60
COPIED_WITHIN_S: Final = 10
BOUND_S: Final = _PUBLISHED_WITHIN_S + LOCAL.lake_settles_seconds + COPIED_WITHIN_S
WRITERS: Final = 4
ADMIN: Final = "admin"
OK: Final = range(200, 300)

Acknowledged = tuple[float, str, str]
"""When, the machine, and the time of its report."""


def lose(world: DeployedWorld, dice: Random, record: Record) -> None:
    """Lose another stack than the one that goes on from its copies."""
    with tempfile.TemporaryDirectory() as folder, _stack(Path(folder)) as (lost, running):
        acknowledged, objects, cut_s = _lose(lost, lambda: emulator.stop(Path(folder), running), dice)
    found, drifted = _go_on(world.stack, objects)
    for at_s, *log in acknowledged:
        age_s = 0.0 if tuple(log) in found else cut_s - at_s
        record.expect("an acknowledged report is there, or within the bound", age_s <= BOUND_S, f"{age_s:.1f} s: {log}")
    record.expect("rows are what their events make of them", not drifted, drifted)
    record.note(f"{len(acknowledged)} reports were acknowledged, {len(objects)} objects copied, bound {BOUND_S} s")


@contextmanager
def _stack(home: Path) -> Iterator[tuple[Stack, emulator.Emulator]]:
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        yield bring_up(home, running), running
    finally:
        emulator.stop(home, running)


def _lose(stack: Stack, kill: Callable[[], None], dice: Random) -> tuple[list[Acknowledged], dict[str, bytes], float]:
    """Report from several threads, copy the lake, and kill the emulator; return reports, copies, and when it was."""
    acknowledged, objects, ended = list[Acknowledged](), dict[str, bytes](), Event()
    stack.token(ADMIN)  # one sign-in, before there are threads
    copying = Thread(target=_copy, args=(stack, objects, ended, Random(dice.random())))  # noqa: S311
    copying.start()
    with (
        ThreadPoolExecutor(WRITERS) as pool,
        step("writing, until the region is lost", lambda: f": {len(acknowledged)}"),
    ):
        for number in range(WRITERS):
            pool.submit(_report, stack, number, acknowledged, ended)
        ended.wait(dice.uniform(*WRITES_S))
        cut_s = time.time()
        kill()
        ended.set()
    copying.join()
    return acknowledged, objects, cut_s


def _report(stack: Stack, writer: int, acknowledged: list[Acknowledged], ended: Event) -> None:
    api, number = stack.api(ADMIN), 0
    while not ended.wait(0.2):
        number += 1
        machine, at = f"press-{writer}-{number % 5}", times.to_utc(round(time.time() * 1000))
        try:
            answer = api.put(f"/equipment/{machine}/states/{at}", {"state": "WARNING1"})
        except OSError:
            return
        if answer.status in OK:
            acknowledged.append((time.time(), machine, f"WARNING1#{at}"))


def _copy(stack: Stack, objects: dict[str, bytes], ended: Event, dice: Random) -> None:
    """Copy each object some seconds after it was seen."""
    s3, bucket = stack.client("s3"), stack.outputs[LAKE]
    due: dict[str, float] = {}
    while not ended.wait(0.5):
        try:
            for key in keys_in(s3, bucket, f"{EVENTS}/"):
                due.setdefault(key, time.time() + dice.uniform(0, COPIED_WITHIN_S - 1))
                if key not in objects and due[key] <= time.time():
                    objects[key] = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        except (BotoCoreError, ClientError):
            return


def _go_on(stack: Stack, objects: dict[str, bytes]) -> tuple[set[tuple[str, str]], int]:
    """Restore a stack from the copy, as the runbook says; return the reports in its view, and the wrong rows."""
    s3, deployed = stack.client("s3"), Deployed(None, stack.outputs, stack.client, settles_s=4)
    with step(f"bringing {len(objects)} copies into the lake"):
        for key, body in objects.items():
            s3.put_object(Bucket=stack.outputs[LAKE], Key=key, Body=body)
    counts = restore(deployed)
    print(", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())))
    for view in views():
        replay(deployed, view, rate=None)
        while not deployed.is_idle(view):
            time.sleep(1)
    [log] = [view for view in views() if view.name == "state_log"]
    found = {(row["DeviceID"], row["State#Date"]) for row in deployed.rows(log)}
    drifted = sum(counts["drift"] for counts in audit.run(dict(stack.outputs)).values())
    return found, drifted
