"""Events from the other side at the listeners: odd, late, twice."""

import json
from typing import Any, NamedTuple

import pytest

from andon.events.domain_event import DomainEvent
from andon.packages.package import Package
from andon.runtime import times
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from tests.support.samples import NOW, body_of, fact
from tests.support.services.reports import AT

DAY_MS = 86_400_000


class Side(NamedTuple):
    """A listener and its table, what crosses to it, and what each side calls the person."""

    service: str
    table: str
    kind: str
    theirs: str
    own: str

    def edit(self, equipment_id: str, **fields: object) -> DomainEvent:
        """Return an edit of the other side, about a log of a machine."""
        about = {"equipmentId": equipment_id, "timestamp": AT}
        return fact(self.kind, id=f"edit of {equipment_id}", at=NOW, **(about | fields))

    def deliver(self, loop: Loop, event: DomainEvent) -> list[str]:
        """Deliver an edit; return the types of what was published because of it."""
        assert loop.deliver(Package("services", self.service), [body_of(event)]) == []
        return [json.loads(body)["detail-type"] for body in loop.new_messages()]

    def rows(self, loop: Loop, equipment_id: str) -> list[dict[str, Any]]:
        return [row for row in loop.rows(self.table) if row["pk"] == f"Equipment#{equipment_id}"]


SIDES = [
    Side("dispatch", "DISPATCH_TABLE", "crew-assigned", "lead", "operator"),
    Side("dispatch2", "DISPATCH2_TABLE", "operator-assigned", "operator", "lead"),
]
each_side = pytest.mark.parametrize("side", SIDES, ids=[f"to {side.service}" for side in SIDES])


@each_side
@pytest.mark.parametrize("field", ["person", "equipmentId", "state", "timestamp"])
@pytest.mark.parametrize("value", [None, "", 7, ["x"], {"S": "x"}], ids=str)
def test_an_edit_that_does_not_say_who_deals_with_which_log_is_a_fault(
    loop: Loop, equipment_id: str, side: Side, field: str, value: object
) -> None:
    odd = side.edit(equipment_id, **{side.theirs if field == "person" else field: value})

    assert side.deliver(loop, odd) == ["fault"]
    assert side.rows(loop, equipment_id) == []


@each_side
@pytest.mark.parametrize("state", ["ERROR#2020", "error", "A" * 33])
def test_a_state_that_would_blur_the_key_is_a_fault(loop: Loop, equipment_id: str, side: Side, state: str) -> None:
    assert side.deliver(loop, side.edit(equipment_id, state=state)) == ["fault"]
    assert side.rows(loop, equipment_id) == []


@each_side
def test_an_edit_of_a_log_that_has_expired_comes_to_nothing(
    loop: Loop, equipment_id: str, log_lines: LogLines, side: Side
) -> None:
    expired = side.edit(equipment_id, timestamp=times.to_utc(NOW - 33 * DAY_MS))

    assert side.deliver(loop, expired) == []
    assert side.rows(loop, equipment_id) == []
    assert log_lines[-1]["expired"] == 1
