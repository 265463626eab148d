"""The messages of the broker whose facts are samples of equipment: `make samples` writes them to `events/`."""

from andon.packages.package import Package
from andon.testing.lambda_events import http_event, presence_message, provisioning_event, sqs_event
from andon.testing.recorder import Recorder
from andon.testing.samples import BEGINNING_MS
from services.equipment.connection import CONNECTION_BACK, CONNECTION_LOST
from tests.support.samples import sample

EQUIPMENT = Package("services", "equipment")
MINUTE_MS = 60_000


def record(world: Recorder) -> None:
    """A press is gone, and comes back after some minutes; another one asks for a certificate."""
    for minute, happening in enumerate(("disconnected", "connected")):
        at_ms = BEGINNING_MS + minute * 3 * MINUTE_MS
        body = presence_message(happening, client="Andon:press-7", at_ms=at_ms, version=minute)
        world.invoke(EQUIPMENT, "ingest", sqs_event([body]))
        world.run()
    world.keep_only(CONNECTION_LOST, CONNECTION_BACK)
    body = sample("http", "register-equipment")["body"]
    world.call(http_event("PUT /equipment/{id}", path={"id": "press-8"}, body=body))
    world.invoke(EQUIPMENT, "provision", provisioning_event("Andon_equipment", {"Name": "press-8"}))
