"""What a machine hardly ever does, for the needs of rules that no request shows: see `andon contracts`."""

from andon.runtime import clock, times
from andon.runtime.clock import MINUTE_MS
from andon.testing.recorder import Recorder
from tests.support.anomalies import model_content, put_model
from tests.support.services.reports import REPORT

MACHINE = {"id": "press-13"}


def record(world: Recorder) -> None:
    """It reports too late, then too often, then a state that nobody knows."""
    put_model(world, model_content(MACHINE["id"]))
    report(world, "NORMAL")
    world.wait(20 * MINUTE_MS)
    report(world, "NORMAL")
    for _ in range(13):
        report(world, "WARNING1")
        world.run()
    report(world, "MELTING")
    world.wait(2 * MINUTE_MS)


def report(world: Recorder, state: str) -> None:
    """Report a state of the machine as of now."""
    world.request(REPORT, path={**MACHINE, "timestamp": times.to_utc(clock.now_ms())}, body={"state": state})
