"""The requests whose messages are the samples of agenda: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder


def record(world: Recorder) -> None:
    """Somebody asks for a week."""
    week = {"from": "2026-01-05", "to": "2026-01-11"}
    world.request("GET /factories/{factoryId}/agenda", path={"factoryId": "gdl-1"}, query=week)
