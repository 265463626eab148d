"""The requests whose messages are the samples of inventory: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder


def record_by_place(world: Recorder) -> None:
    """Somebody asks how many there are."""
    world.request("GET /inventory", query={"place": "north"})
