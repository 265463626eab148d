"""The requests whose messages are the samples of planning: `make samples` writes them to `events/`."""

from andon.runtime.clock import MINUTE_MS
from andon.testing.recorder import Recorder

LAMP = {"id": "press-7"}
MOVED = "maintenance-planned"


def record(world: Recorder) -> None:
    """Three facts within a minute, which a rule finds once all that counts has arrived."""
    for _ in range(3):
        world.hear(MOVED)
    world.wait(5 * MINUTE_MS)
    world.request("GET /planning/{id}", path=LAMP)
