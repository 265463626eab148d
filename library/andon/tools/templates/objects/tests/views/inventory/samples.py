"""The requests whose messages are the samples of inventory: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

GET = "GET /inventory/{date}"


def record(world: Recorder) -> None:
    """Somebody asks for a day."""
    world.request(GET, path={"date": "2026-01-31"})
