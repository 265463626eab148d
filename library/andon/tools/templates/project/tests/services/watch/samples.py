"""The requests whose messages are the samples of watch: `make samples` writes them to `events/`."""

from andon.runtime.clock import MINUTE_MS
from andon.testing.recorder import Recorder

LAMP = {"id": "lamp"}


def record(world: Recorder) -> None:
    """The lamp is moved three times within a minute, which a rule finds once all that counts has arrived."""
    for version, place in enumerate(("attic", "cellar", "garden")):
        headers = {"if-match": f'"{version}"'} if version else {}
        world.request("PUT /things/{id}", path=LAMP, body={"place": place}, headers=headers)
    world.wait(5 * MINUTE_MS)
    world.request("GET /watch/{id}", path=LAMP)
