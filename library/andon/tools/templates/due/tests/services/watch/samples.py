"""The requests whose messages are the samples of watch: `make samples` writes them to `events/`."""

from andon.runtime.clock import DAY_MS
from andon.testing.recorder import Recorder

ONE = {"id": "thing-1"}
FACT = "thing-moved"
DATE = "2026-01-02T00:00:00.000Z"


def record(world: Recorder) -> None:
    """A date is said, and comes."""
    world.hear(FACT, due=DATE)
    world.wait(2 * DAY_MS)
    world.request("GET /watch/{id}", path=ONE)
