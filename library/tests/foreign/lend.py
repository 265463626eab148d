from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop

NOON = 1_770_000_000_000


def lend(loop: Loop, holder: str, at_ms: int) -> str:
    with frozen_clock(at_ms):
        put = loop.request("PUT /books/{id}/loan", path={"id": "emma"}, body={"holder": holder}, groups=("reader",))
        [event] = loop.run()
        return f"{put.status} {event['detail-type']}"


def books_of(loop: Loop, holder: str, headers: dict[str, str]) -> tuple[int, object, str]:
    with frozen_clock(NOON + 1000):
        got = loop.request("GET /readers/{id}/books", path={"id": holder}, headers=headers, groups=("reader",))
    return got.status, got.body, got.headers["etag"]


with Loop() as loop:
    lent = lend(loop, "Bob", NOON - 1000), lend(loop, "Ada", NOON)
    with frozen_clock(NOON):
        got = loop.request("GET /books/{id}/loan", path={"id": "emma"}, groups=("reader",))
    status, shelf, etag = books_of(loop, "Ada", {})
    again, nothing, _ = books_of(loop, "Ada", {"if-none-match": etag})
    print(status, shelf, again, nothing, books_of(loop, "Bob", {})[1])
    print(lent[-1], got.status, got.body)
