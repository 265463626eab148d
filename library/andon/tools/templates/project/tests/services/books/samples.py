"""The requests whose messages are the samples of books: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

ONE = {"shelfId": "shelf-1", "id": "book-1"}


def record(world: Recorder) -> None:
    """One is said, and then changed."""
    world.request("PUT /books/{shelfId}/{id}", path=ONE, body={"place": "place-1", "due": "2026-01-31T00:00:00.000Z"})
    change = {"if-match": '"1"'}
    world.request(
        "PUT /books/{shelfId}/{id}",
        path=ONE,
        body={"place": "place-2", "due": "2026-02-28T00:00:00.000Z"},
        headers=change,
        variant="again",
    )
