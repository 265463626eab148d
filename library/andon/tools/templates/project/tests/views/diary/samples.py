"""The requests whose messages are the samples of diary: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

GET = "GET /diary/{date}"


def record(world: Recorder) -> None:
    """Somebody asks for a day."""
    world.request(GET, path={"date": "2026-01-31"})
