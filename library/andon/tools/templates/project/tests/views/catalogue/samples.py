"""The requests whose messages are the samples of catalogue: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

ONE = {"shelfId": "shelf-1"}


def record(world: Recorder) -> None:
    """Somebody asks for all of one shelf, of which something was said."""
    world.hear_all()
    world.request("GET /catalogue/{shelfId}", path=ONE)
