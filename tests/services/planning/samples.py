"""The requests whose messages are the samples of planning: `make samples` writes them to `events/`."""

from andon.runtime.clock import DAY_MS
from andon.testing.recorder import Recorder

MACHINE = {"id": "press-7"}


def record(world: Recorder) -> None:
    """An order is planned for the ninth, and the tenth comes."""
    world.hear("maintenance-planned")
    world.wait(DAY_MS)
    world.wait(9 * DAY_MS)
    world.request("GET /equipment/{id}/overdue", path=MACHINE)
