"""The requests whose messages are the samples of readings: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

DEVICE = {"deviceId": "device-1"}
AT = {**DEVICE, "timestamp": "2026-01-01T08:59:00.000Z"}
EARLIER = {**DEVICE, "timestamp": "2026-01-01T08:58:00.000Z"}
PUT = "PUT /readings/{deviceId}/{timestamp}"


def record(world: Recorder) -> None:
    """One is said, an earlier one comes late, and somebody asks for them."""
    world.request(PUT, path=AT, body={"value": 17.5})
    world.request(PUT, path=EARLIER, body={"value": 16.5}, variant="late")
    world.request("GET /readings/{deviceId}/{timestamp}", path=AT)
    world.request("GET /readings/{deviceId}", path=DEVICE, query={"from": "2026-01-01"})
