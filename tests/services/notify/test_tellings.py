"""Who was told of what: by equipment, by call and by person; to those who may read it, and with no address."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.runtime.clock import MINUTE_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer
from services.notify.message import SLOT_MS, slot_of
from tests.services.notify.factory import NOW, Floor, Spy, channels, request
from tests.services.notify.reached import reach

ANA: Final = "op-17"
CALL: Final = "7f3c0d5e-9b1a-4c62-8f0e-2d6a1b9c4e57"
SLOT: Final = slot_of(ANA, NOW) + SLOT_MS


@pytest.fixture(scope="module")
def floor() -> Iterator[Floor]:
    """One message about two machines, and a call at one of them."""
    about = {"callId": CALL, "equipmentId": "press-1"}
    with Floor() as floor, channels(Spy("mail")):
        reach(ANA, "mail")
        asked = [request("press-1", at=SLOT), request("press-2", at=SLOT), request("press-1", at=SLOT + 1, about=about)]
        floor.go_on(SLOT, 1, hears=asked)
        yield floor


def ask(floor: Floor, route: str, id_: str, **parts: Any) -> Answer:  # noqa: ANN401
    with frozen_clock(SLOT + MINUTE_MS):
        return floor.request(route, path={"id": id_}, **{"groups": ["operator"], "subject": ANA} | parts)


@pytest.mark.parametrize(
    ("route", "id_", "about"),
    [
        ("GET /equipment/{id}/tellings", "press-1", 2),
        ("GET /equipment/{id}/tellings", "press-2", 1),
        ("GET /calls/{id}/tellings", CALL, 1),
        ("GET /people/{id}/tellings", ANA, 3),
    ],
)
def test_each_has_what_it_was_about(floor: Floor, route: str, id_: str, about: int) -> None:
    answer = ask(floor, route, id_)

    [one] = answer.body["items"]
    assert {name: one[name] for name in ("person", "channel", "of")} == {"person": ANA, "channel": "mail", "of": 3}
    assert len(one["about"]) == about
    assert "example.com" not in str(answer)


def test_each_machine_is_a_fact_and_a_telling_that_comes_again_is_the_same(floor: Floor) -> None:
    told = floor.tellings

    assert sorted(one["partitionKey"] for one in told) == ["press-1", "press-2"]
    assert {one["tags"]["actor"] for one in told} == {"sender"}
    assert len({one["timestamp"] for one in told}) == 1


@pytest.mark.parametrize(
    ("caller", "status"),
    [
        ({}, 200),
        ({"subject": "op-18"}, 403),
        ({"subject": "op-18", "groups": ["supervisor"]}, 200),
        ({"subject": "op-18", "groups": ["supervisor", "at:gdl-1"]}, 403),
        ({"subject": "op-18", "groups": ["admin"]}, 200),
        ({"subject": "op-18", "groups": ["auditor"]}, 403),
    ],
)
def test_what_one_was_told_is_for_oneself_and_who_keeps_rosters(
    floor: Floor, caller: dict[str, Any], status: int
) -> None:
    assert ask(floor, "GET /people/{id}/tellings", ANA, **caller).status == status


def test_who_is_limited_to_places_sees_nothing_of_calls_elsewhere(floor: Floor) -> None:
    answer = ask(floor, "GET /calls/{id}/tellings", CALL, groups=["operator", "at:gdl-9"])

    assert (answer.status, answer.body["items"]) == (200, [])
