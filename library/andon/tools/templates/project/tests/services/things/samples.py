"""The requests whose messages are the samples of things: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

ONE = {"id": "thing-1"}


def record(world: Recorder) -> None:
    """One is said, and then changed."""
    world.request("PUT /things/{id}", path=ONE, body={"place": "north"})
    change = {"if-match": '"1"'}
    world.request("PUT /things/{id}", path=ONE, body={"place": "south"}, headers=change, variant="again")
