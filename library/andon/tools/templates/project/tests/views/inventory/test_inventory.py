"""What inventory shows; that it is the same in every order, the laws try."""

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.views.inventory.samples import LAMP

NOW_MS = 1_767_258_000_000
DAY_MS = 24 * 60 * 60 * 1000
GET = "GET /inventory/{id}"


def test_it_shows_where_something_was_put_last() -> None:
    with Loop() as loop, frozen_clock(NOW_MS):
        unknown = loop.request(GET, path=LAMP)
        loop.request("PUT /things/{id}", path=LAMP, body={"place": "attic"})
        loop.run()
        known = loop.request(GET, path=LAMP)

    assert unknown.status == 404
    assert (known.status, known.body) == (200, {"id": "lamp", "place": "attic"})


def test_it_forgets_what_nobody_moves() -> None:
    with Loop() as loop:
        with frozen_clock(NOW_MS):
            loop.request("PUT /things/{id}", path=LAMP, body={"place": "attic"})
            loop.run()
        with frozen_clock(NOW_MS + 91 * DAY_MS):
            assert loop.request(GET, path=LAMP).status == 404
