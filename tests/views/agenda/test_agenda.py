"""What agenda shows; that it is the same in every order, the laws try."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from andon.events.written import Written
from andon.http import after
from andon.packages.package import Package
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from contract.after import NAMES
from tests.support.samples import body_of, fact

AGENDA: Final = Package("views", "agenda")
NOW: Final = times.to_ms("2026-01-01T10:00:00Z")
GET: Final = "GET /factories/{factoryId}/agenda"


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop:
        yield loop


def hear(loop: Loop, *orders: dict[str, Any]) -> None:
    """Let it hear of versions of orders, as they are listed."""
    facts = [
        fact("maintenance-moved", id=f"fact {number}", at=NOW + int(order["version"]), **order)
        for number, order in enumerate(orders)
    ]
    assert loop.deliver(AGENDA, [body_of(one) for one in facts]) == []


def listed(loop: Loop, first: str | None = None, last: str | None = None, **more: str) -> list[tuple[str, str, str]]:
    """List a factory's orders: machine, kind, day."""
    query = {name: day for name, day in (("from", first), ("to", last)) if day} | more
    items = loop.request(GET, path={"factoryId": "gdl-1"}, query=query).body["items"]
    return [(one["equipmentId"], one["kind"], one["plannedFor"]) for one in items]


def order(equipment_id: str, kind: str, day: str, *, version: int = 1, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"equipmentId": equipment_id, "kind": kind, "plannedFor": day, "version": version, **more}


def test_it_lists_a_factory_s_orders_by_day(loop: Loop) -> None:
    with frozen_clock(NOW):
        hear(
            loop,
            order("d#1", "oil", "2026-01-12"),
            order("d#1", "grease", "2026-01-10"),
            order("press-7", "oil", "2026-01-10"),
            order("press-8", "oil", "2026-01-10", factoryId="gdl-2"),
        )

        both = [("d#1", "grease", "2026-01-10"), ("press-7", "oil", "2026-01-10")]
        assert listed(loop) == [*both, ("d#1", "oil", "2026-01-12")]
        assert listed(loop, "2026-01-10", "2026-01-10") == both
        assert listed(loop, "2026-01-11") == [("d#1", "oil", "2026-01-12")]
        assert listed(loop, None, "2026-01-09") == []
        refused = loop.request(GET, path={"factoryId": "gdl-1"}, query={"from": "2026-01-11", "to": "2026-01-10"})
        assert refused.status == 400


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_moved_is_under_its_new_day_alone(loop: Loop, turned: bool) -> None:  # noqa: FBT001
    moves = [order("press-7", "oil", f"2026-01-{day}", version=version) for version, day in ((1, 12), (2, 10), (3, 20))]
    with frozen_clock(NOW):
        hear(loop, *(reversed(moves) if turned else moves))

        assert listed(loop) == [("press-7", "oil", "2026-01-20")]


def test_an_order_is_listed_until_ninety_days_after_its_day(loop: Loop) -> None:
    with frozen_clock(NOW):
        hear(loop, order("press-7", "oil", "2026-12-01"))
    day = times.to_ms("2026-12-01T00:00:00Z")
    for days, expected in ((89, 1), (90, 0)):
        with frozen_clock(day + days * DAY_MS):
            assert len(listed(loop)) == expected


def test_an_order_elsewhere_is_awaited_as_one_that_nobody_knows(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(after, "PAUSES_SECONDS", ())

    def status(machine: str, *groups: str, factory: str = "gdl-1") -> int:
        moved = fact("maintenance-moved", at=NOW + 1, **order(machine, "oil", "2026-01-12", factoryId="gdl-2"))
        write = replace(Written.of_event(moved, "order", NAMES["order"]), partition_key=machine, event_id="")
        query = {"after": write.to_token()}
        return loop.request(GET, path={"factoryId": factory}, query=query, groups=["operator", *groups]).status

    with frozen_clock(NOW):
        hear(loop, order("press-8", "oil", "2026-01-12", factoryId="gdl-2"))

        assert [status(one, "at:gdl-1") for one in ("press-8", "unknown")] == [202, 202]
        assert [status(one, "at:gdl-2", factory="gdl-2") for one in ("press-8", "unknown")] == [200, 202]
        assert [status(one) for one in ("press-8", "unknown")] == [200, 202]
