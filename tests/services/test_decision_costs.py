"""Requests and units of deciding, by the emulator, which counts as DynamoDB does.

Rows here are under 1 KB, so that each costs a unit to write; and the past of a piece of equipment under 4 KB, so that
a consistent look back costs a unit to read. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pytest

from andon.rules.due import READ_SHARDS
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.loop import Loop
from andon.testing.rules import due_after_ms
from andon.testing.wire import Wire
from contract.reports import REPORTED
from services.dispatch.control import CONTROL
from tests.support.deployed.dispatched import DISPATCH, TABLE, collect, collected, registered
from tests.support.samples import NOW, fact

MINUTE_MS: Final = 60_000
READS: Final = {"BatchGetItem", "GetItem", "Query"}


@dataclass(frozen=True, slots=True)
class Bill:
    """A cost: requests by operation, write units, read units."""

    requests: dict[str, int]
    written: float
    read: float


@contextmanager
def billed() -> Iterator[Callable[[], Bill]]:
    """Note what is asked of DynamoDB from here on."""
    with Wire(("dynamodb",)) as wire:
        wire.measure_capacity()
        yield lambda: _sum(wire)


def _sum(wire: Wire) -> Bill:
    units: Counter[bool] = Counter()
    for request in wire.requests:
        consumed = request.answer.get("ConsumedCapacity")
        tables = consumed if isinstance(consumed, list) else [consumed] if consumed else []
        # A condition that fails is paid for all the same, but its answer does not say so.
        units[request.operation in READS] += sum(one["CapacityUnits"] for one in tables) if tables else 1
    return Bill(dict(Counter(wire.operations)), units[False], units[True])


def due_rows(state: str, *, is_first: bool) -> int:
    """The number of rows of what is due that a report of a state schedules."""
    return len(due_after_ms(CONTROL, REPORTED[0], fact("state-reported", state=state), is_first=is_first))


def _trigger(changes: list[dict[str, Any]]) -> None:
    DISPATCH.handler("trigger")({"Records": changes}, LocalContext("dispatch-trigger"))


def _sweep() -> None:
    DISPATCH.handler("sweep")({}, LocalContext("dispatch-sweep"))


def collect_a_report(loop: Loop, press: str) -> Bill:
    with billed() as bill:
        collect(loop, press, ("ERROR", NOW))
    return bill()


def collect_it_again(loop: Loop, press: str) -> Bill:
    collect(loop, press, ("ERROR", NOW))
    return collect_a_report(loop, press)


def react_to_normal(loop: Loop, press: str) -> Bill:
    changes = collected(loop, press, ("NORMAL", NOW))
    with billed() as bill:
        _trigger(changes)
    return bill()


def react_to_another(loop: Loop, press: str) -> Bill:
    _trigger(collected(loop, press, ("NORMAL", NOW - 10_000)))
    return react_to_normal(loop, press)


def react_to_abnormal(loop: Loop, press: str) -> Bill:
    changes = collected(loop, press, ("ERROR", NOW))
    with billed() as bill:
        _trigger(changes)
    return bill()


def remember(loop: Loop, press: str) -> Bill:
    _trigger(collected(loop, press, ("ERROR", NOW)))
    decided = [change for change in loop.new_records(TABLE) if "assignment" in change["dynamodb"]["Keys"]["sk"]["S"]]
    with billed() as bill:
        _trigger(decided)
    return bill()


def sweep_nothing(loop: Loop, press: str) -> Bill:  # noqa: ARG001  of nobody
    with billed() as bill:
        _sweep()
    return bill()


def _sweep_minutes_later(loop: Loop, press: str, minutes: int) -> Bill:
    """Sweep what is due of one error so many minutes later, what was due before having been swept."""
    _trigger(collected(loop, press, ("ERROR", NOW)))
    with frozen_clock(NOW + (minutes - 1) * MINUTE_MS):
        _sweep()
    with billed() as bill, frozen_clock(NOW + (minutes + 1) * MINUTE_MS):
        _sweep()
    return bill()


def sweep_nothing_to_decide(loop: Loop, press: str) -> Bill:
    return _sweep_minutes_later(loop, press, 1)


def sweep_an_escalation(loop: Loop, press: str) -> Bill:
    return _sweep_minutes_later(loop, press, 15)


def sweep_on(loop: Loop, press: str) -> Bill:
    """Sweep the timer of a machine that goes on to report."""
    _trigger(collected(loop, press, ("NORMAL", NOW)))
    with frozen_clock(NOW + MINUTE_MS):
        _sweep()
        _trigger(collected(loop, press, ("NORMAL", NOW + MINUTE_MS)))
    with billed() as bill, frozen_clock(NOW + 31 * MINUTE_MS):
        _sweep()
    return bill()


def sweep_a_silence(loop: Loop, press: str) -> Bill:
    return _sweep_minutes_later(loop, press, 30)


Case = Callable[[Loop, str], Bill]
LOOK: Final = READ_SHARDS  # a query of each shard of what is due

# Rows of what is due: of a first report and of one that follows it, whatever rules there are.
NORMAL_DUE: Final = due_rows("NORMAL", is_first=True)
ABNORMAL_DUE: Final = due_rows("ERROR", is_first=True)
MORE: Final = due_rows("NORMAL", is_first=False)

PAPER: Final[dict[Case, Bill]] = {
    collect_a_report: Bill({"Query": 1, "PutItem": 1}, 1, 1),
    collect_it_again: Bill({"Query": 1, "PutItem": 1}, 1, 1),
    # Of a first report it is not known what the machine said before: `ended` looks, once.
    react_to_normal: Bill({"PutItem": NORMAL_DUE, "Query": 2}, NORMAL_DUE, 2),
    react_to_another: Bill({"PutItem": MORE} if MORE else {}, MORE, 0),
    react_to_abnormal: Bill(
        {"PutItem": ABNORMAL_DUE + 1, "Query": 1, "GetItem": 1, "BatchGetItem": 2}, ABNORMAL_DUE + 1, 6
    ),
    remember: Bill({"PutItem": 1}, 1, 0),
    sweep_nothing: Bill({"Query": LOOK}, 0, LOOK),
    sweep_nothing_to_decide: Bill({"Query": LOOK + 1, "DeleteItem": 1}, 1, LOOK + 1),
    sweep_an_escalation: Bill(
        {"Query": LOOK + 2, "GetItem": 1, "BatchGetItem": 2, "PutItem": 1, "DeleteItem": 1}, 2, LOOK + 7
    ),
    sweep_on: Bill({"Query": LOOK + 1 + MORE, "PutItem": 1, "DeleteItem": 1 + MORE}, 2 + MORE, LOOK + 1 + MORE),
    sweep_a_silence: Bill({"Query": LOOK + 3, "PutItem": 1, "DeleteItem": 1}, 2, LOOK + 3),
}


@pytest.mark.parametrize(("case", "paper"), PAPER.items(), ids=[case.__name__ for case in PAPER])
def test_deciding_costs_what_it_does_on_paper(
    loop: Loop, capsys: pytest.CaptureFixture[str], case: Case, paper: Bill
) -> None:
    press = registered(loop)

    with frozen_clock(NOW):
        bill = case(loop, press)

    with capsys.disabled():
        print(f"\n{case.__name__:24} {bill.written:>4g} written {bill.read:>4g} read  {bill.requests}", end="")  # noqa: T201
    assert bill == paper
    with frozen_clock(NOW + 60 * MINUTE_MS):
        loop.sweep()  # nothing is left due for the next one
