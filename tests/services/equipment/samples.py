"""The messages of the broker whose facts are samples of equipment: `make samples` writes them to `events/`."""

from andon.packages.package import Package
from andon.testing.lambda_events import presence_message, sqs_event
from andon.testing.recorder import BEGINNING_MS, Recorder

EQUIPMENT = Package("services", "equipment")
MINUTE_MS = 60_000


def record(world: Recorder) -> None:
    """A press is gone, and comes back after some minutes."""
    for minute, happening in enumerate(("disconnected", "connected")):
        at_ms = BEGINNING_MS + minute * 3 * MINUTE_MS
        body = presence_message(happening, client="Andon:press-7", at_ms=at_ms, version=minute)
        world.invoke(EQUIPMENT, "ingest", sqs_event([body]))
        world.run()
