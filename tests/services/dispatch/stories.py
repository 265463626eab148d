"""What happens to a machine, for the needs of rules and queries that the samples do not show: see `andon contracts`."""

from andon.runtime import clock, times
from andon.runtime.clock import MINUTE_MS
from andon.testing.recorder import Recorder
from tests.services.dispatch.samples import CHAINS, CHAINS_PATH
from tests.support.services.reports import ACKNOWLEDGE, ASSIGN, EPISODES, REPORT, STAFF

MACHINE = {"id": "press-12"}
FACTORY = {"factoryId": "gdl-3"}


def record(world: Recorder) -> None:
    """A machine gets worse; nobody sees it, then somebody does; later it is silent, and back."""
    staff = {"operators": ["op-17"], "supervisor": "sv-03", "manager": "mg-01"}
    world.request(STAFF, path=FACTORY, body=staff)
    world.request(f"PUT {CHAINS_PATH}", path=FACTORY, body={"chains": CHAINS[:1]})
    world.hear("equipment-created", **MACHINE, **FACTORY)
    for state in ("WARNING1", "WARNING1", "ERROR"):
        last = report(world, state)
        world.wait(4 * MINUTE_MS)
    world.request(ASSIGN, path=last, body={"operator": "op-18"}, headers={"if-match": '"1"'})
    world.wait(10 * MINUTE_MS)
    world.request(ACKNOWLEDGE, path=last)
    world.request(EPISODES, path=MACHINE)
    report(world, "NORMAL")
    world.wait(40 * MINUTE_MS)
    report(world, "NORMAL")
    world.wait(2 * MINUTE_MS)
    world.request(EPISODES, path=MACHINE)


def report(world: Recorder, state: str) -> dict[str, str]:
    """Report a state of the machine as of now; return the path of its log."""
    timestamp = times.to_utc(clock.now_ms())
    world.request(REPORT, path={**MACHINE, "timestamp": timestamp}, body={"state": state, "detail": "by itself"})
    return {**MACHINE, "state": state, "timestamp": timestamp}
