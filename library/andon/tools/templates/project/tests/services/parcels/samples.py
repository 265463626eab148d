"""The requests whose messages are the samples of parcels: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

RECORDED = {"id": "parcel-1"}
RECORDED_AT = {**RECORDED, "timestamp": "2026-01-01T08:59:00.000Z"}


def record(world: Recorder) -> None:
    """The estimate of one is recorded, and asked for."""
    world.keep_only("estimate-recorded")
    world.request("PUT /parcels/{id}/estimate/{timestamp}", path=RECORDED_AT, body={"value": 17.5})
    world.request("GET /parcels/{id}/estimate/{timestamp}", path=RECORDED_AT)
    world.request("GET /parcels/{id}/estimate", path=RECORDED)
