"""The requests whose messages are the samples of agenda_days: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder


def record(world: Recorder) -> None:
    """Somebody asks for a day."""
    world.request("GET /factories/{factoryId}/agenda/{date}", path={"factoryId": "gdl-1", "date": "2026-01-11"})
