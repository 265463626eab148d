"""The requests whose messages are the samples of guests: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

ONE = {"id": "p-1001"}
SAID = {
    "name": "Ana López",
    # <placed>
    "hallId": "hall-1",
    # </placed>
}


def record(world: Recorder) -> None:
    """A guest is written down, looked for, and erased."""
    world.request("PUT /guests/{id}", path=ONE, body=SAID)
    world.request("GET /guests/{id}", path=ONE)
    world.request("GET /guests", query={"ids": "p-1001,p-1002"})
    # <placed>
    world.request("GET /halls/{hallId}/guests", path={"hallId": "hall-1"})
    # </placed>
    world.request("DELETE /guests/{id}", path=ONE)
