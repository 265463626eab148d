"""The requests whose messages are the samples of things: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

LAMP = {"id": "lamp"}


def record(world: Recorder) -> None:
    """The lamp is put somewhere, and then somewhere else."""
    world.request("PUT /things/{id}", path=LAMP, body={"place": "attic"})
    moved = {"if-match": '"1"'}
    world.request("PUT /things/{id}", path=LAMP, body={"place": "cellar"}, headers=moved, variant="again")
