"""The requests whose messages are the samples of things: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

INSPECTED = {"id": "thing-1"}


def record_inspection(world: Recorder) -> None:
    """Somebody records an inspection."""
    world.keep_only("inspection-recorded")
    world.request("PUT /things/{id}/inspection", path=INSPECTED, body={"note": "as new"})
