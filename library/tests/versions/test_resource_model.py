"""Whatever is asked of a resource, in whatever order, is answered as a small model in memory answers it."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from andon.testing.crash_points import AFTER, BEFORE, Breaking, Interruption
from toys.clock import NOW
from toys.gallery import TABLE, Gallery, delete, history, put, read, reap, review, reviews_of, roll_back, status_of

ID = "the sea"
PAPERS = ("Times", "Post")


@dataclass(frozen=True)
class Order:
    """A request: `put` or `review` to say `what`, `delete`, or `roll back` to version `what`."""

    kind: str
    what: Any
    if_match: int | None
    actor: str


@dataclass(frozen=True)
class Made:
    """A version: what it says, by which order, when, and the version that its life began with."""

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

    def take(self, order: Order, now_ms: int, *, required: bool = True) -> int:
        last = len(self.made)
        number = order.if_match + 1 if order.if_match else self.made[-1].since if self.alive else last + 1
        if number <= last and self.made[number - 1].order == order:
            return self._done(number)
        if not required or (order.kind in {"delete", "roll back"} and not self.alive):
            return 404
        if order.if_match != last and (order.if_match or self.alive):
            return 412 if order.if_match else 428
        if order.kind == "roll back" and (order.what > last or self.made[order.what - 1].deleted):
            return 404 if order.what > last else 409
        what = self.made[order.what - 1].what if order.kind == "roll back" else order.what
        if self.alive and order.kind in {"put", "review"} and what == self.made[-1].what:
            return 200
        at = max(now_ms, self.made[-1].at + 1) if self.made else now_ms
        since = self.made[-1].since if self.alive else last + 1
        self.made.append(Made(order, what, at, since, deleted=order.kind == "delete"))
        return self._done(last + 1)

    def as_of(self, at: int) -> int | None:
        number = sum(made.at <= at for made in self.made)
        return None if number == 0 or self.made[number - 1].deleted else number

    def rows(self) -> list[tuple[Any, ...]]:
        return [(n, one.what, one.at, one.order.actor, one.deleted) for n, one in enumerate(self.made, 1)][::-1]

    def _done(self, number: int) -> int:
        made = self.made[number - 1]
        return 204 if made.deleted else 201 if made.since == number else 200


TITLES = st.sampled_from(["one thing", "another"])
STARS = st.sampled_from([1, 2])
ACTORS = st.sampled_from(["Liz", "Sue"])
FATES = st.sampled_from([None, Interruption(BEFORE, killed=True), Interruption(AFTER, killed=True), None])
CLOCKS = st.integers(-3, 3)
NUMBERS = st.integers(0, 5)


class Pictures(RuleBasedStateMachine):
    """One picture, the reviews of two papers, and clients that come again."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._gallery = Gallery()
        self._stack.enter_context(self._gallery)
        self._models = {name: Model() for name in ("picture", *PAPERS)}
        self._sent: list[tuple[str, Order]] = []
        self._reaped = False
        self._facts: list[str] = []

    @property
    def _picture(self) -> Model:
        return self._models["picture"]

    @initialize(what=TITLES)
    def hang(self, what: str) -> None:
        self._send("picture", Order("put", what, None, "Liz"), None, 0)

    @rule(what=TITLES, named=st.booleans(), actor=ACTORS, fate=FATES, clock=CLOCKS)
    def put(self, what: str, named: bool, actor: str, fate: Interruption | None, clock: int) -> None:  # noqa: FBT001  a choice
        version = self._version("picture") if named or self._picture.alive else None
        self._send("picture", Order("put", what, version, actor), fate, clock)

    @precondition(lambda self: self._picture.alive)
    @rule(actor=ACTORS, fate=FATES, clock=CLOCKS)
    def delete(self, actor: str, fate: Interruption | None, clock: int) -> None:
        self._send("picture", Order("delete", None, self._version("picture"), actor), fate, clock)

    @precondition(lambda self: self._picture.alive)
    @rule(number=NUMBERS, actor=ACTORS, fate=FATES, clock=CLOCKS)
    def roll_back(self, number: int, actor: str, fate: Interruption | None, clock: int) -> None:
        to = 1 + number % len(self._picture.made)
        self._send("picture", Order("roll back", to, self._version("picture"), actor), fate, clock)

    @rule(paper=st.sampled_from(PAPERS), what=STARS, actor=ACTORS, fate=FATES, clock=CLOCKS)
    def review(self, paper: str, what: int, actor: str, fate: Interruption | None, clock: int) -> None:
        self._send(paper, Order("review", what, self._version(paper), actor), fate, clock)

    @rule(kind=st.sampled_from(["put", "delete", "roll back", "review"]), number=NUMBERS, clock=CLOCKS)
    def be_mistaken(self, kind: str, number: int, clock: int) -> None:
        """Name no version, or any: mostly not the current one."""
        what = {"put": "a third thing", "review": 3, "roll back": number + 1}.get(kind)
        name = "Times" if kind == "review" else "picture"
        self._send(name, Order(kind, what, number or None, "Liz"), None, clock)

    @precondition(lambda self: self._sent)
    @rule(back=NUMBERS, fate=FATES, clock=CLOCKS)
    def come_again(self, back: int, fate: Interruption | None, clock: int) -> None:
        self._send(*self._sent[-1 - min(back, len(self._sent) - 1)], fate, clock)

    @precondition(lambda self: self._picture.made and not self._picture.alive)
    @rule()
    def expire(self) -> None:
        reap(ID)
        self._reaped = True

    def teardown(self) -> None:
        with self._stack:
            row = read(ID)
            assert (row["version"] if row else None) == (len(self._picture.made) if self._picture.alive else None)
            for name, model in self._models.items():
                assert rows_of(name) == model.rows()
            for at in sorted({made.at + off for made in self._picture.made for off in (-1, 0)}):
                row = read(ID, as_of=at)
                assert (row["version"] if row else None) == self._picture.as_of(at)
            assert self._gallery.told(ID) == self._facts

    def _version(self, name: str) -> int | None:
        return len(self._models[name].made) or None

    def _send(self, name: str, order: Order, fate: Interruption | None, clock: int) -> None:
        """Send an order; with a fate, its transaction never arrives, or nobody hears of it."""
        self._sent.append((name, order))
        model, by = self._models[name], {"if_match": order.if_match, "actor": order.actor, "now_ms": NOW + clock}
        breaking = Breaking.nothing() if fate is None else Breaking(fate, 1 if name != "picture" else _writes(order))
        status = breaking.interrupt(partial(status_of, partial(_do, name, order, by)))
        stood, before = self._standing(), len(model.made)
        if breaking.broken and len(rows_of(name)) == before:
            return
        expected = model.take(order, NOW + clock, required=self._picture.alive or name == "picture")
        if len(model.made) > before:
            self._facts.append(f"{self._fact(order, stood)} {len(model.made)}")
            self._reaped = self._reaped and name != "picture"
        assert len(rows_of(name)) == len(model.made)
        assert status == (None if breaking.broken else expected)

    def _standing(self) -> str:
        return "alive" if self._picture.alive else "nothing" if self._reaped or not self._picture.made else "tombstone"

    def _fact(self, order: Order, stood: str) -> str:
        if order.kind in {"delete", "review"}:
            return {"delete": "picture-deleted", "review": "review-written"}[order.kind]
        return {"alive": "picture-updated", "nothing": "picture-created", "tombstone": "picture-undeleted"}[stood]


def _writes(order: Order) -> int:
    """Return the number of the call that writes, if nothing stands in the way."""
    return {"put": 1, "delete": 2, "roll back": 3}[order.kind]


def _do(name: str, order: Order, by: dict[str, Any]) -> Any:  # noqa: ANN401  of either kind
    match order.kind:
        case "put":
            return put(ID, order.what, **by)
        case "delete":
            return delete(ID, **by)
        case "roll back":
            return roll_back(ID, order.what, **by)
    return review(ID, order.what, paper=name, **by)


def rows_of(name: str) -> list[tuple[Any, ...]]:
    """Read all revisions, newest first, as the model has them."""
    versions = reviews_of(ID, name).revisions if name in PAPERS else None
    rows: list[Any] = TABLE.query(versions.all, limit=1000).items if versions else [*history(ID)]
    said = ("version", "stars" if versions else "title", "timestamp", "changedBy")
    return [(*(row.get(one) for one in said), row.get("deleted", False)) for row in rows]


def test_any_sequence_of_commands_retries_and_lost_answers_equals_a_model_in_memory() -> None:
    # Without shrinking; the steps that failed are printed as they were.
    chosen = settings(max_examples=60, stateful_step_count=20, deadline=None, phases=[Phase.generate])
    run_state_machine_as_test(Pictures, settings=chosen)
