"""The requests whose messages are the samples of things: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

INSPECTED = {"id": "thing-1"}
INSPECTED_AT = {**INSPECTED, "timestamp": "2026-01-01T08:59:00.000Z"}


def record_inspection(world: Recorder) -> None:
    """Somebody records an inspection, and asks for it."""
    world.keep_only("inspection-recorded")
    world.request("PUT /things/{id}/inspection/{timestamp}", path=INSPECTED_AT, body={"value": 17.5})
    world.request("GET /things/{id}/inspection/{timestamp}", path=INSPECTED_AT)
    world.request("GET /things/{id}/inspection", path=INSPECTED)
