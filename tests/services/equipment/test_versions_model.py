"""Whatever is asked for, in whatever order, is answered as a small model in memory answers it."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from andon.runtime import times
from andon.runtime.errors import CallFailed
from andon.testing.above_retries import Pass, between
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.testing.memory.calls import Call
from tests.support.samples import NOW
from tests.support.services.versions import audit, delete, get, put, reap, revisions, roll_back, told, versions

ID = "press 7"
PARTS = ("_", "hydraulics")


@dataclass(frozen=True)
class Order:
    """What a client wants: `put` or `audit` to say `what`, `delete`, or `roll back` to version `what`."""

    kind: str
    what: Any
    if_match: int | None
    actor: str


@dataclass(frozen=True)
class Made:
    """A version: what it says, who made it by which order, when, and which version its life began with."""

    order: Order
    what: Any
    at: int
    since: int
    deleted: bool


@dataclass
class Model:
    """All versions of one thing; the first one stands at 0."""

    made: list[Made] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        return bool(self.made) and not self.made[-1].deleted

    def take(self, order: Order, now_ms: int, *, registered: bool = True) -> tuple[int, int]:
        """Return the status of the response, and the number of the version in it."""
        last = len(self.made)
        number = order.if_match + 1 if order.if_match else self.made[-1].since if self.alive else last + 1
        if number <= last and self.made[number - 1].order == order:
            return self._done(number)
        if not registered or (order.kind in {"delete", "roll back"} and not self.alive):
            return 404, 0
        if order.if_match != last and (order.if_match or self.alive):
            return 412 if order.if_match else 428, 0
        if order.kind == "roll back" and (order.what > last or self.made[order.what - 1].deleted):
            return 404 if order.what > last else 409, 0
        says = {"roll back": order.what, "delete": last}.get(order.kind)
        what = self.made[says - 1].what if says else order.what
        if self.alive and order.kind in {"put", "audit"} and what == self.made[-1].what:
            return 200, last
        at = max(now_ms, self.made[-1].at + 1) if self.made else now_ms
        since = self.made[-1].since if self.alive else last + 1
        self.made.append(Made(order, what, at, since, deleted=order.kind == "delete"))
        return self._done(last + 1)

    def as_of(self, at: int) -> int | None:
        """Return the number of the version that was current at a time."""
        number = sum(made.at <= at for made in self.made)
        return None if number == 0 or self.made[number - 1].deleted else number

    def _done(self, number: int) -> tuple[int, int]:
        made = self.made[number - 1]
        return (204 if made.deleted else 201 if made.since == number else 200), number


class Wire:
    """Loses what goes to AWS (`never arrives`), or the answer to what AWS did (`lost`), above the retries."""

    def __init__(self, fate: str) -> None:
        self._fate = fate
        self.broke = False
        self._between = between(self._call)
        self._between.__enter__()

    def unhook(self) -> None:
        self._between.__exit__(None, None, None)

    def _call(self, call: Call, make: Pass) -> dict[str, Any]:
        if call.operation != "TransactWriteItems":
            return make()
        self._break_if("never arrives")
        answer = make()
        self._break_if("lost")
        return answer

    def _break_if(self, fate: str) -> None:
        if self._fate == fate:
            self.broke = True
            raise CallFailed("ConnectionClosedError")


SAYINGS = st.sampled_from(["one thing", "another"])
ACTORS = st.sampled_from(["Liz", "Sue"])
FATES = st.sampled_from(["answered", "lost", "never arrives", "answered"])
CLOCKS = st.integers(-3, 3)
NUMBERS = st.integers(0, 5)


class Versions(RuleBasedStateMachine):
    """One piece of equipment, the audits of two parts of it, and clients that come again."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._loop = Loop()
        self._stack.enter_context(self._loop)
        self._models = {name: Model() for name in ("equipment", *PARTS)}
        self._sent: list[tuple[str, Order]] = []
        self._reaped = False
        self._facts: list[str] = []

    @property
    def _equipment(self) -> Model:
        return self._models["equipment"]

    @initialize(what=SAYINGS)
    def register(self, what: str) -> None:
        self._send("equipment", Order("put", what, None, "Liz"), "answered", 0)

    @precondition(lambda self: self._equipment.alive)
    @rule(what=SAYINGS, actor=ACTORS, fate=FATES, clock=CLOCKS)
    def change(self, what: str, actor: str, fate: str, clock: int) -> None:
        self._send("equipment", Order("put", what, self._version("equipment"), actor), fate, clock)

    @precondition(lambda self: not self._equipment.alive)
    @rule(what=SAYINGS, named=st.booleans(), actor=ACTORS, fate=FATES, clock=CLOCKS)
    def recreate(self, what: str, named: bool, actor: str, fate: str, clock: int) -> None:  # noqa: FBT001  a choice
        version = self._version("equipment") if named else None
        self._send("equipment", Order("put", what, version, actor), fate, clock)

    @precondition(lambda self: self._equipment.alive)
    @rule(actor=ACTORS, fate=FATES, clock=CLOCKS)
    def delete(self, actor: str, fate: str, clock: int) -> None:
        self._send("equipment", Order("delete", None, self._version("equipment"), actor), fate, clock)

    @precondition(lambda self: self._equipment.alive)
    @rule(number=NUMBERS, actor=ACTORS, fate=FATES, clock=CLOCKS)
    def roll_back(self, number: int, actor: str, fate: str, clock: int) -> None:
        to = 1 + number % len(self._equipment.made)
        self._send("equipment", Order("roll back", to, self._version("equipment"), actor), fate, clock)

    @rule(part=st.sampled_from(PARTS), what=SAYINGS, actor=ACTORS, fate=FATES, clock=CLOCKS)
    def audit(self, part: str, what: str, actor: str, fate: str, clock: int) -> None:
        self._send(part, Order("audit", what, self._version(part), actor), fate, clock)

    @rule(kind=st.sampled_from(["put", "delete", "roll back", "audit"]), number=NUMBERS, clock=CLOCKS)
    def be_mistaken(self, kind: str, number: int, clock: int) -> None:
        """Name no version, or any: mostly not the current one."""
        what = {"put": "a third thing", "audit": "a third thing", "roll back": number + 1}.get(kind)
        name = "_" if kind == "audit" else "equipment"
        self._send(name, Order(kind, what, number or None, "Liz"), "answered", clock)

    @precondition(lambda self: self._sent)
    @rule(back=NUMBERS, fate=FATES, clock=CLOCKS)
    def come_again(self, back: int, fate: str, clock: int) -> None:
        self._send(*self._sent[-1 - min(back, len(self._sent) - 1)], fate, clock)

    @precondition(lambda self: self._equipment.made and not self._equipment.alive)
    @rule()
    def expire(self) -> None:
        reap(ID)
        self._reaped = True

    def teardown(self) -> None:
        with self._stack:
            current = get(self._loop, ID)
            self._check("equipment", current, 200 if self._equipment.alive else 404, len(self._equipment.made))
            assert self._listed(versions(self._loop, ID)) == self._all("equipment")
            for part in PARTS:
                assert self._listed(revisions(self._loop, ID, part)) == self._all(part)
            for at in sorted({made.at + off for made in self._equipment.made for off in (-1, 0)}):
                answer = get(self._loop, ID, query={"asOf": times.to_utc(at)})
                assert (answer.body.get("version") if answer.status == 200 else None) == self._equipment.as_of(at)
            assert told(self._loop, ID) == self._facts

    def _version(self, name: str) -> int | None:
        return len(self._models[name].made) or None

    def _send(self, name: str, order: Order, fate: str, clock: int) -> None:
        self._sent.append((name, order))
        model, now_ms = self._models[name], NOW + clock
        wire = Wire(fate)
        try:
            with frozen_clock(now_ms):
                answer = self._answer(name, order)
        finally:
            wire.unhook()
        if fate == "never arrives" and wire.broke:
            assert answer.status == 500
            return
        stood, before = self._standing(), len(model.made)
        status, number = model.take(order, now_ms, registered=self._equipment.alive or name == "equipment")
        if len(model.made) > before:
            self._facts.append(f"{'audit-recorded' if order.kind == 'audit' else self._fact(order, stood)} {number}")
            self._reaped = self._reaped and name != "equipment"
        assert wire.broke == (fate == "lost" and len(model.made) > before)
        self._check(name, answer, 500 if wire.broke else status, number)

    def _standing(self) -> str:
        made = self._equipment.made
        return "alive" if self._equipment.alive else "nothing" if self._reaped or not made else "tombstone"

    def _fact(self, order: Order, stood: str) -> str:
        if order.kind == "delete":
            return "equipment-deleted"
        return {"alive": "equipment-updated", "nothing": "equipment-created", "tombstone": "equipment-undeleted"}[stood]

    def _answer(self, name: str, order: Order) -> Answer:
        told_of: dict[str, Any] = {"if_match": order.if_match, "subject": order.actor}
        match order.kind:
            case "put":
                return put(self._loop, ID, order.what, **told_of)
            case "delete":
                return delete(self._loop, ID, **told_of)
            case "roll back":
                return roll_back(self._loop, ID, order.what, **told_of)
        return audit(self._loop, ID, order.what, part=name, **told_of)

    def _check(self, name: str, answer: Answer, status: int, number: int) -> None:
        assert answer.status == status, answer.body
        if status in {200, 201}:
            assert answer.headers["etag"] == f'"{number}"'
            assert self._listed([answer.body]) == [self._all(name)[-number]]

    def _listed(self, items: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        return [
            (
                item.get("version", item.get("revision")),
                item.get("name", item.get("result")),
                item["changedAt"],
                item["changedBy"],
                item.get("deleted", False),
            )
            for item in items
        ]

    def _all(self, name: str) -> list[tuple[Any, ...]]:
        made = enumerate(self._models[name].made, 1)
        rows = [(n, one.what, times.to_utc(one.at), one.order.actor, one.deleted) for n, one in made]
        return rows[::-1]


def test_any_sequence_of_commands_retries_and_lost_answers_equals_a_model_in_memory() -> None:
    # Without shrinking; the steps that failed are printed as they were.
    chosen = settings(max_examples=24, stateful_step_count=20, deadline=None, phases=[Phase.generate])
    run_state_machine_as_test(Versions, settings=chosen)
