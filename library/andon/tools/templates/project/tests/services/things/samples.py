"""The requests whose messages are the samples of things: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

ONE = {"id": "thing-1"}


def record(world: Recorder) -> None:
    """One is said, and then changed."""
    world.request(
        "PUT /things/{id}", path=ONE, body={"place": "place-1", "number": "A-7", "due": "2026-01-31T00:00:00.000Z"}
    )
    change = {"if-match": '"1"'}
    world.request(
        "PUT /things/{id}",
        path=ONE,
        body={"place": "place-2", "number": "A-8", "due": "2026-02-28T00:00:00.000Z"},
        headers=change,
        variant="again",
    )
