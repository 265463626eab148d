"""A row of the board keeps its limits against any token, odd event or late word about an older log."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.packages.package import Package
from andon.runtime.errors import NotFound
from andon.testing.convergence import converges, view_of
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from contract.names import NORMAL
from demo.people import ANN, EVA, LIZ, SARA, SUE, TOM
from tests.support.samples import NOW, body_of
from tests.views.board.stories import (
    MINUTES,
    STATES,
    acknowledgement,
    assignment,
    escalation,
    metadata,
    risk,
    state,
)
from views.board import view
from views.board.row import SEEN
from views.board.standing import require_equipment, standing_of
from views.board.view import ON, REPORTS

BOARD = Package("views", "board")
PRESS = "press-7"

MANY = [state(f"WARNING{number}", number, f"m{number:02d}") for number in range(2, 42)]


@dataclass(frozen=True)
class Machine:
    """A piece of equipment of one test."""

    loop: Loop
    id: str

    def deliver(self, *events: DomainEvent) -> None:
        """Deliver events as if they were about it."""
        bodies = [body_of(self._about_it(event)) for event in events]
        for start in range(0, len(bodies), 10):
            assert self.loop.deliver(BOARD, bodies[start : start + 10]) == []

    def standing(self) -> Answer:
        """Ask how it stands."""
        return self.loop.request("GET /equipment/{id}/board", path={"id": self.id}, groups=["analyst"])

    def row(self) -> dict[str, Any]:
        """Read its row."""
        (found,) = (row for row in self.loop.rows("BOARD_TABLE") if row["EquipmentID"] == self.id)
        return found

    def _about_it(self, event: DomainEvent) -> DomainEvent:
        ((name, entity),) = event.entities.items()
        field = "id" if name == "equipment" else "equipmentId"
        return event._replace(entities={name: {**entity, field: self.id}})


@pytest.fixture
def machine(loop: Loop, equipment_id: str) -> Machine:
    """Return a piece of equipment that nobody spoke of yet."""
    return Machine(loop, equipment_id)


def seen(row: dict[str, Any]) -> set[str]:
    return {name.removeprefix(SEEN) for name in row if name.startswith(SEEN)}


def test_a_token_that_makes_up_states_does_not_fill_the_row_of_a_machine(machine: Machine) -> None:
    machine.deliver(metadata("created", 1, "c1"), state(NORMAL, 1, "n1"), *MANY)

    assert len(seen(machine.row())) == REPORTS.most + 1
    assert len(json.dumps(machine.row())) < 4096
    answer = machine.standing().body
    assert (answer["state"], answer["stateSince"]) == ("WARNING41", MINUTES[40])


def test_trouble_before_the_last_normal_stays_past_however_many_states_come_after(machine: Machine) -> None:
    about = [assignment(LIZ, 2, "o1", log=1), escalation(SARA, 4, "x1", log=3)]
    machine.deliver(state(NORMAL, 2, "n1"), *about, *MANY)

    answer = machine.standing().body
    assert "operator" not in answer
    assert answer["escalatedTo"] == SARA


def test_the_answer_of_the_newest_states_is_that_of_all() -> None:
    reports = [state(NORMAL, 1, "n1"), *MANY]
    everything = {name: time for event in reports for name, time in _decide(event).fields.items()}
    for count in range(1, len(reports) + 1):
        all_of_them = dict(list(everything.items())[:count])
        oplocks = {f"oplock#{name}": time for name, time in all_of_them.items()}
        kept = {name: time for name, time in all_of_them.items() if name not in REPORTS.surplus(oplocks)}

        assert standing_of(kept) == standing_of(all_of_them)  # type: ignore[arg-type]


def _decide(event: DomainEvent) -> Any:  # noqa: ANN401
    return ON[event.tags["source"], event.type](event)


MORE_STATES = [*STATES[:3], state("ERROR2", 3, "s7"), state("ERROR3", 4, "s8"), state("WARNING1", 5, "s9")]


def test_a_board_that_keeps_two_states_converges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "REPORTS", _keeping(2))

    converges(view_of("board"), MORE_STATES)


def test_a_board_that_keeps_sixteen_states_converges_in_random_batches() -> None:
    converges(view_of("board"), [metadata("created", 1, "c1"), state(NORMAL, 1, "n1"), *MANY], limit=1, walks=10)


def _keeping(most: int) -> Any:  # noqa: ANN401
    return type(REPORTS)(prefix=SEEN, most=most, always=REPORTS.always)


@pytest.mark.parametrize(
    ("newer", "older", "member", "who"),
    [
        (assignment(LIZ, 5, "a", log=4), assignment(SUE, 6, "b", log=3), "operator", LIZ),
        (escalation(SARA, 5, "a", log=4), escalation(TOM, 6, "b", log=3), "escalatedTo", SARA),
        (acknowledgement(LIZ, 5, "a", log=4), acknowledgement(ANN, 6, "b", log=1), "acknowledgedBy", LIZ),
        (
            risk("it gets worse", 5, "a", since=4),
            risk("it keeps coming", 6, "b", since=1),
            "atRisk",
            {"since": MINUTES[4], "reason": "it gets worse"},
        ),
    ],
    ids=["assigned", "escalated", "acknowledged", "at risk"],
)
@pytest.mark.parametrize("order", [1, -1], ids=["in order", "the other way round"])
def test_a_word_about_an_older_log_does_not_make_the_board_forget_who_is_on_the_current_trouble(
    machine: Machine, newer: DomainEvent, older: DomainEvent, member: str, who: object, order: int
) -> None:
    machine.deliver(state(NORMAL, 2, "n1"), state("ERROR", 4, "e1"))
    for event in [newer, older][::order]:
        machine.deliver(event)

    assert machine.standing().body[member] == who


def test_a_second_word_about_the_same_log_replaces_the_first(machine: Machine) -> None:
    machine.deliver(state("ERROR", 4, "e1"))
    machine.deliver(assignment(LIZ, 5, "a", log=4), assignment(SUE, 6, "b", log=4))

    assert machine.standing().body["operator"] == SUE


AHEAD = "2100-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    "event",
    [
        state("NORMAL", 1, "f1"),
        assignment(EVA, 1, "f2", log=1),
        escalation(EVA, 1, "f3", log=1),
        acknowledgement(EVA, 1, "f4", log=1),
    ],
    ids=lambda event: event.type,
)
def test_what_speaks_of_a_time_ahead_of_itself_is_a_fault_and_mutes_nobody(
    machine: Machine, event: DomainEvent
) -> None:
    ((name, entity),) = event.entities.items()
    ahead = DomainEvent.from_wire(event.to_wire() | {name: {**entity, "timestamp": AHEAD}})

    machine.deliver(ahead)
    machine.deliver(state("ERROR", 4, "e1"), assignment(LIZ, 5, "a", log=4))

    assert [json.loads(body)["detail-type"] for body in machine.loop.new_messages()] == ["fault"]
    answer = machine.standing().body
    assert (answer["state"], answer["operator"]) == ("ERROR", LIZ)
    assert not answer.keys() & {"escalatedTo", "acknowledgedBy"}


def test_a_row_of_what_nobody_registered_expires(machine: Machine) -> None:
    machine.deliver(state("ERROR", 4, "e1"))

    expires_at = machine.row()["ttl"]
    with frozen_clock(expires_at * 1000 - 1):
        assert machine.standing().status == 200
    with frozen_clock(expires_at * 1000):
        assert machine.standing().status == 404


def test_what_has_expired_is_not_shown() -> None:
    with pytest.raises(NotFound):
        require_equipment({"EquipmentID": PRESS, "ttl": NOW // 1000}, now_ms=NOW)
