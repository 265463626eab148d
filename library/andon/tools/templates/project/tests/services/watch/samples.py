"""The requests whose messages are the samples of watch: `make samples` writes them to `events/`."""

from andon.runtime.clock import MINUTE_MS
from andon.testing.recorder import Recorder

ONE = {"id": "thing-1"}
FACT = "thing-moved"


def record(world: Recorder) -> None:
    """Three facts within a minute, which a rule finds once all that counts has arrived."""
    for _ in range(3):
        world.hear(FACT)
    world.wait(5 * MINUTE_MS)
    world.request("GET /watch/{id}", path=ONE)
