# <unique>
"""No two things have the same number."""

from collections.abc import Iterator

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop

NOW_MS = 1_767_258_000_000
PUT = "PUT /things/{id}"
FIRST = {"place": "place-1", "due": "2026-01-31T00:00:00.000Z", "number": "A-7"}
OTHER = {"place": "place-1", "due": "2026-01-31T00:00:00.000Z", "number": "A-8"}


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW_MS):
        yield loop


def put(loop: Loop, thing: str, said: dict[str, str], **headers: str) -> tuple[int, object]:
    answered = loop.request(PUT, path={"id": thing}, body=said, headers=headers)
    return answered.status, answered.body.get("number")


def test_what_another_one_has_is_refused(loop: Loop) -> None:
    assert put(loop, "1", FIRST) == (201, "A-7")
    assert put(loop, "2", FIRST) == (409, None)
    assert put(loop, "2", OTHER) == (201, "A-8")
    assert put(loop, "2", FIRST, **{"if-match": '"1"'}) == (409, None)


def test_what_a_change_lets_go_another_one_may_have(loop: Loop) -> None:
    put(loop, "1", FIRST)

    assert put(loop, "1", OTHER, **{"if-match": '"1"'}) == (200, "A-8")
    assert put(loop, "2", FIRST) == (201, "A-7")


def test_a_retry_is_answered_as_the_first_time(loop: Loop) -> None:
    assert [put(loop, "1", FIRST) for _ in range(2)] == [(201, "A-7")] * 2


def test_an_id_is_no_key_of_what_has_a_number(loop: Loop) -> None:
    put(loop, "1", FIRST)

    assert put(loop, "Number#A-7", OTHER) == (400, None)
    assert put(loop, "1", OTHER, **{"if-match": '"1"'}) == (200, "A-8")


# </unique>
