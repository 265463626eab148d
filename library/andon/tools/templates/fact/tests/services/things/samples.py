"""The requests whose messages are the samples of things: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

RECORDED = {"id": "thing-1"}


def record_inspection(world: Recorder) -> None:
    """The inspection of one is recorded."""
    world.keep_only("inspection-recorded")
    world.request("PUT /things/{id}/inspection", path=RECORDED, body={"note": "first"})
