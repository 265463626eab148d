"""Who may call, and look, where: stations for their own equipment, and people who are limited to a line."""

from collections.abc import Iterator
from typing import Any

import pytest

from andon.http.places import ELSEWHERE
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.calls.samples import ANOTHER, CALL, EQUIPMENT, FACTORY, MATERIAL
from tests.services.calls.test_calls import (
    AT_EQUIPMENT,
    BY_PLACE,
    CLOSE,
    COILS,
    GET,
    NOW,
    PUT,
    SET,
    TAKE,
    begin,
    register,
    send,
)

READ = SET.replace("PUT", "GET")
STATION: dict[str, Any] = {"groups": ("station",), "name": EQUIPMENT["id"]}


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW):
        begin(loop)
        register(loop, "press-8", lineId="line-4")
        register(loop, "press-9", factoryId="mty-1")
        yield loop


@pytest.mark.parametrize(("name", "status"), [("press-7", 201), ("press-8", 403), ("", 403), ("PRESS-7", 403)])
def test_a_station_calls_for_its_own_equipment(loop: Loop, name: str, status: int) -> None:
    assert send(loop, PUT, MATERIAL, groups=("station",), name=name).status == status


def test_the_places_of_a_station_limit_it_besides(loop: Loop) -> None:
    elsewhere = {**STATION, "groups": ("station", "at:gdl-1:line-4")}

    assert send(loop, PUT, MATERIAL, **elsewhere).body["detail"] == ELSEWHERE
    assert send(loop, PUT, MATERIAL, **{**STATION, "groups": ("station", "at:gdl-1:line-3")}).status == 201
    for route, path in ((GET, CALL), (AT_EQUIPMENT, EQUIPMENT), (READ, FACTORY)):
        status = 200 if route == READ else 403  # a line is in its factory
        assert send(loop, route, path=path, **elsewhere).status == status


def test_an_operator_at_a_station_calls_for_any(loop: Loop) -> None:
    both: dict[str, Any] = {"groups": ("station", "operator"), "name": "press-8"}

    assert send(loop, PUT, MATERIAL, **both).status == 201


@pytest.mark.parametrize("name", ["press-7", "press-8", "press-9", "nobody-knows", ""])
def test_a_station_reads_what_is_about_its_own_equipment(loop: Loop, name: str) -> None:
    send(loop, PUT, MATERIAL)
    station: dict[str, Any] = {"groups": ("station",), "name": name}

    own = 200 if name == "press-7" else 403
    assert send(loop, GET, **station).status == own
    assert send(loop, GET, path=ANOTHER, **station).status == 403  # there is none
    assert send(loop, AT_EQUIPMENT, path=EQUIPMENT, **station).status == own
    assert send(loop, READ, path=FACTORY, **station).status == (200 if name in {"press-7", "press-8"} else 403)


def test_who_is_at_a_line_sees_its_calls_and_the_catalog(loop: Loop) -> None:
    send(loop, PUT, MATERIAL)
    send(loop, PUT, MATERIAL | {"equipmentId": "press-8"}, path=ANOTHER)
    here = ("operator", "at:gdl-1:line-4")

    def listed(**query: str) -> Any:  # noqa: ANN401
        answer = loop.request(BY_PLACE, path=FACTORY, query=query, groups=here)
        return [one["id"] for one in answer.body["items"]] if answer.status == 200 else answer.status

    assert (listed(), listed(line="line-3"), listed(line="line-4")) == (403, 403, [ANOTHER["id"]])
    assert send(loop, TAKE, if_match=1, groups=here).status == 403
    assert send(loop, CLOSE, COILS, if_match=1, path=ANOTHER, groups=here).status == 200
    assert send(loop, READ, path=FACTORY, groups=here).status == 200


@pytest.mark.parametrize(
    ("group", "status"),
    [
        ("at:gdl-1", 200),
        ("at:gdl-1:line-9", 200),
        ("at:gdl-1:", 403),
        ("at:gdl-1:line-3:x", 403),
        ("at:gdl-2", 403),
        ("at:mty-1:gdl-1", 403),
        ("at:", 403),
    ],
)
def test_a_catalog_is_for_who_is_in_the_factory(loop: Loop, group: str, status: int) -> None:
    assert send(loop, READ, path=FACTORY, groups=("operator", group)).status == status
