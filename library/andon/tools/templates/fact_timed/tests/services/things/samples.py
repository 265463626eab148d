"""The requests whose messages are the samples of things: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

RECORDED = {"id": "thing-1"}
RECORDED_AT = {**RECORDED, "timestamp": "2026-01-01T08:59:00.000Z"}


def record_inspection(world: Recorder) -> None:
    """The inspection of one is recorded, and asked for."""
    world.keep_only("inspection-recorded")
    world.request("PUT /things/{id}/inspection/{timestamp}", path=RECORDED_AT, body={"value": 17.5})
    world.request("GET /things/{id}/inspection/{timestamp}", path=RECORDED_AT)
    world.request("GET /things/{id}/inspection", path=RECORDED)
