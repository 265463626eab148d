"""Two workers with one message, in every order of their calls, killed at any of them: told, never more than twice.

All schedules are tried: from each state of the table and of the workers, each worker makes its next call, or is killed
at it. States that were seen before are not gone on from. What is left is then delivered again, behind the lease.
"""

import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pytest

from andon.dynamodb.client import ConditionFailed
from andon.outbound import delivery, pace, sender
from andon.outbound.delivery import Message, NotTaken, Outcome, RefusedForGood, Sent, Unknown, Wake
from andon.outbound.sender import SenderCounts
from andon.runtime.clock import MINUTE_MS
from andon.runtime.errors import CallFailed
from andon.testing.above_retries import Pass, between
from andon.testing.environment import frozen_clock
from andon.testing.memory.hook import Answer, Call
from services.notify import outbound, telling
from services.notify.message import SLOT_MS, slot_of
from services.notify.tables import KEYS, TABLE, partition_of
from tests.services.notify.factory import NOW, Floor, channels, requests
from tests.services.notify.reached import reach

PERSON: Final = "op-17"
SLOT: Final = slot_of(PERSON, NOW) + SLOT_MS
LATER_MS: Final = 2 * MINUTE_MS
REDELIVERIES: Final = 5
DELIVERY: Final = "delivery#"
"""In the key of what workers write and read of each other; the other calls read what no worker writes."""


ASKED: Final = [event.id for event in requests(2, every_ms=10, at=SLOT)]
NOT_TOLD: Final = {delivery.Status.FAILED, delivery.Status.UNSURE}


class Killed(BaseException):
    """The process ended here."""


class Move(NamedTuple):
    """A worker makes its next call, or is killed before it, or after it."""

    worker: int
    killed: str = ""


class Worker:
    """A worker in a thread of its own, which waits before each call until it may go on."""

    def __init__(self, number: int, kind: str) -> None:
        self.number, self.answers = number, list[str]()
        self.wake = Wake(partition_of(PERSON), f"{SLOT:013d}.{kind}", SLOT, kind)
        self.may_go, self.is_waiting = threading.Semaphore(0), threading.Semaphore(0)
        self.killed, self.is_done, self.was_told, self.next_call = "", False, False, ""
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self.was_told = sender.tell(self.wake, outbound.GATEWAY, SenderCounts())
            self.answers.append(f"told {self.was_told}")
        except (Killed, sender.NotYet, CallFailed, ConditionFailed) as error:
            self.answers.append(type(error).__name__)
        self.is_done = True
        self.is_waiting.release()

    def reach(self, operation: str) -> None:
        """Stop before a call."""
        self.next_call = operation
        self.is_waiting.release()
        self.may_go.acquire()
        if self.killed == "before":
            raise Killed

    def passed(self, answer: object) -> None:
        """Stop behind a call."""
        self.answers.append(f"{self.next_call} {answer}")
        if self.killed == "after":
            raise Killed

    def begin(self) -> None:
        """Go on to the first call."""
        self.thread.start()
        self.is_waiting.acquire()

    def step(self, killed: str = "") -> None:
        """Make the next call, up to the one behind it."""
        self.killed = killed
        self.may_go.release()
        self.is_waiting.acquire()


class Scene(NamedTuple):
    """What stood at the end of a schedule."""

    ready: tuple[int, ...]
    sent: int
    settled: bool


class Provider:
    """A channel whose calls the workers stop at, too. outcomes: of its calls in their order, then `Sent`."""

    name = "mail"

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self.outcomes, self.sent = list(outcomes), list[Message]()
        self.workers: dict[threading.Thread, Worker] = {}

    def send(self, message: Message) -> Outcome:
        """Take a message, or not."""
        worker = self.workers.get(threading.current_thread())
        if worker:
            worker.reach("send")
        outcome = self.outcomes.pop(0) if self.outcomes else Sent("id")
        if isinstance(outcome, Sent | Unknown):
            self.sent.append(message)
        if worker:
            worker.passed(outcome)
        return outcome


@pytest.fixture(scope="module")
def floor() -> Iterator[Floor]:
    with Floor() as floor:
        with frozen_clock(SLOT):
            reach(PERSON, "mail")
            floor.hear(requests(2, every_ms=10, at=SLOT))
        yield floor


class Case(NamedTuple):
    """Two workers, by the kinds of their messages. outcomes: of calls. lost: messages that do not come again."""

    kinds: Sequence[str]
    outcomes: Sequence[Outcome] = ()
    lost: int = 0


def run(floor: Floor, moves: Sequence[Move], case: Case, seen: set[str]) -> Scene | None:
    """Run a schedule from the beginning, and see what becomes of it if the messages then come again.

    None: it leads to a state that was `seen`, from which the same becomes of it.
    """
    provider = Provider(case.outcomes)
    for row in rows_of(floor, delivery.DELIVERY, sender.MAILBOX, pace.CHANNEL, telling.TOLD):
        TABLE.delete({name: row[name] for name in KEYS.names})
    with channels(provider):
        workers = [Worker(number, kind) for number, kind in enumerate(case.kinds)]
        provider.workers = {worker.thread: worker for worker in workers}

        def call(made: Call, make: Pass) -> Answer:
            worker = provider.workers.get(threading.current_thread())
            if worker is None or DELIVERY not in str(made.request):
                return make()
            worker.reach(made.operation)
            try:
                answer = make()
            except CallFailed as error:
                worker.passed(error.code)
                raise
            worker.passed(answer)
            return answer

        with between(call), frozen_clock(SLOT + 10_000):
            for worker in workers:
                worker.begin()
            for move in moves:
                workers[move.worker].step(move.killed)
            ready = tuple(worker.number for worker in workers if not worker.is_done)
            state = repr([rows_of(floor), [(worker.answers, worker.is_done) for worker in workers], len(provider.sent)])
            for worker in workers:
                while not worker.is_done:  # the process ends here
                    worker.step("before")
        if state in seen:
            return None
        seen.add(state)
        return Scene(ready, *end(floor, provider, [worker.wake for worker in workers][case.lost :]))


def end(floor: Floor, provider: Provider, wakes: Sequence[Wake]) -> tuple[int, bool]:
    """Deliver the messages again, behind the lease; return how often something was sent, and whether nobody waits."""
    left = list(wakes)
    for number in range(1, REDELIVERIES + 1):
        with frozen_clock(SLOT + 10_000 + number * LATER_MS):
            left = [wake for wake in left if comes_again(wake)]
    said = {notice for row in rows_of(floor) if row["status"] in NOT_TOLD for notice in row["covers"]}
    told = " ".join(message.text for message in provider.sent)
    return len(provider.sent), not left and all(notice in said or notice.split()[0] in told for notice in ASKED)


def comes_again(wake: Wake) -> bool:
    """Deliver a message; return True if it has to come again."""
    try:
        sender.tell(wake, outbound.GATEWAY, SenderCounts())
    except sender.NotYet:
        return True
    return False


def rows_of(floor: Floor, *kinds: str) -> list[dict[str, Any]]:
    """Return the rows of some kinds, by default the deliveries."""
    kept = {*kinds} or {delivery.DELIVERY}
    return [row for row in floor.rows("NOTIFY_TABLE") if row.get("discriminator") in kept]


def schedules(floor: Floor, case: Case) -> Iterator[tuple[tuple[Move, ...], Scene]]:
    """Yield a schedule of two workers for every state that one leads to, with what becomes of it."""
    seen = set[str]()
    open_: list[tuple[Move, ...]] = [()]
    while open_:
        moves = open_.pop()
        scene = run(floor, moves, case, seen)
        if scene is None:
            continue
        yield moves, scene
        open_ += [(*moves, Move(number, killed)) for number in scene.ready for killed in ("", "before", "after")]


@pytest.mark.parametrize(
    "case",
    [
        Case(("now", "later")),
        Case(("now", "now")),
        Case(("now", "later"), (Unknown("timeout"), Unknown("timeout"))),
        Case(("now", "later"), (Unknown("timeout"), NotTaken("busy"))),
        Case(("now",), (NotTaken("busy"),)),
        Case(("now",), (RefusedForGood("no"),)),
        Case(("later", "overdue"), lost=1),
        Case(("later", "overdue"), (Unknown("timeout"), Unknown("timeout"))),
    ],
    ids=[
        "two-messages",
        "one-message-twice",
        "no-answers",
        "answered-late",
        "not-taken",
        "refused",
        "dead-letter",
        "overdue",
    ],
)
def test_whatever_happens_to_two_workers_nobody_waits_and_none_is_told_more_than_twice(
    floor: Floor, case: Case
) -> None:
    number = 0
    for moves, scene in schedules(floor, case):
        number += 1
        assert scene.settled, f"silent after {moves}"
        assert scene.sent <= delivery.MOST_CALLS, f"told {scene.sent} times after {moves}"
        if not (scene.ready or case.outcomes or any(move.killed for move in moves)):
            assert scene.sent == 1, f"told {scene.sent} times after {moves}, though nobody was killed"
    assert number > 10 * len(case.kinds)
