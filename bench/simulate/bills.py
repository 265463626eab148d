"""Bills of a million reports in each stage, by part, beside the goals: a PUT each, and batches of 100."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, NamedTuple

from bench import prices
from bench.simulate import replica
from bench.simulate.counted import Counted, Fleet
from bench.simulate.model import FleetModel
from bench.simulate.money import Parts, alarms_of_scaling, of_a_million, of_a_month
from bench.simulate.sample import count
from bench.simulate.settings import stages, target_of
from services.equipment.stream_first import REPORTS_AT_ONCE

RATE: Final = 200.0
"""Reports a second: 60,000 machines. The more, the fuller batches are."""

ABNORMAL: Final = 0.1

JUDGED: Final = "prod"
"""The stage that has to reach the goals."""

OPTIONAL: Final = "anomalies"
"""A service that nothing else needs."""

LARGEST: Final = 4
"""So many parts of a price are named where a goal is missed."""


class Bill(NamedTuple):
    """The price of a million reports in a stage, as machines send them. goal: dollars of NORMAL reports."""

    stage: str
    name: str
    goal: float
    normal: FleetModel
    mixed: FleetModel

    @property
    def parts(self) -> Parts:
        """The price of NORMAL reports."""
        return of_a_million(self.normal, RATE)

    @property
    def abnormal(self) -> Parts:
        """The price of others, of which the mixed ones have a tenth."""
        pairs = zip(self.parts, of_a_million(self.mixed, RATE), strict=True)
        return Parts(*(normal + (mixed - normal) / ABNORMAL for normal, mixed in pairs))


def bills() -> tuple[Bill, ...]:
    """Count, and price what was counted in each stage of cdk.json."""
    idle, gateway = count(Fleet(machines=0)), Fleet(machines=REPORTS_AT_ONCE, batched=True)
    ways = (("a PUT each", 7.50, Fleet()), ("POST of 100", 4.50, gateway))
    counted = [(name, goal, count(fleet), count(replace(fleet, abnormal=ABNORMAL))) for name, goal, fleet in ways]
    return tuple(
        Bill(stage, name, goal, *(FleetModel(one, idle, target_of(stage)) for one in (normal, mixed)))
        for stage in stages()
        for name, goal, normal, mixed in counted
    )


def report(bills_: tuple[Bill, ...]) -> str:
    """Return the bills side by side, and what would be needed where a goal is missed."""
    return "\n".join(_lines(bills_))


def _lines(bills_: tuple[Bill, ...]) -> Iterator[str]:
    yield f"{f'a million reports, {RATE:g}/s, $':<32}" + "".join(
        f"{bill.stage + ': ' + bill.name:>20}" for bill in bills_
    )
    yield f"{'':<32}" + "".join(f"{'NORMAL':>12} {'other':>7}" for _ in bills_)
    for part in Parts._fields:
        columns = (f"{getattr(bill.parts, part):>12.2f} {getattr(bill.abnormal, part):>7.2f}" for bill in bills_)
        yield f"  {part:<30}" + "".join(columns)
    yield f"{'all of it':<32}" + "".join(f"{bill.parts.total:>12.2f} {bill.abnormal.total:>7.2f}" for bill in bills_)
    for bill in bills_:
        if bill.stage == JUDGED:
            yield from _judged(bill)
    for stage, model in {bill.stage: bill.mixed for bill in bills_}.items():
        yield _fixed(stage, model)
        if stage == JUDGED:
            yield from replica.lines(model, RATE)
    yield f"({prices.as_of(datetime.now(UTC))}; what is kept, and what a month costs: make simulate)"


def _judged(bill: Bill) -> Iterator[str]:
    """Yield the verdict; where the goal is missed, the largest parts of the price, and what would reach it."""
    parts = bill.parts
    is_met = parts.total <= bill.goal
    yield f"{bill.stage}, {bill.name}: goal ≤ ${bill.goal:.2f}: {'met' if is_met else 'MISSED'}"
    if is_met:
        return
    largest = sorted(parts._asdict().items(), key=lambda one: -one[1])[:LARGEST]
    named = ", ".join(f"{name} {dollars:.2f}" for name, dollars in largest)
    yield f"  it is mostly {named}; each report goes to {bill.normal.counted.messages:.3g} queues"
    yield from _levers(bill)


def _levers(bill: Bill) -> Iterator[str]:
    """Yield the prices with each saving and those before it."""
    yield f"  with a year's reservation of its tables' capacity: ${reserved(bill.parts).total:.2f}"
    smaller = FleetModel(without(bill.normal.counted, OPTIONAL), bill.normal.idle, bill.normal.target)
    left = reserved(of_a_million(smaller, RATE))
    yield f"  and without the service {OPTIONAL}, which nothing else needs: ${left.total:.2f}"


def _fixed(stage: str, model: FleetModel) -> str:
    """Return a stage's costs however few report."""
    alarms, used = alarms_of_scaling(model), model.used
    what = f"capacity {used:.0%} used, if the load never jumps; {alarms} alarms follow it" if alarms else "on demand"
    traced = "traced" if model.target.traced else "not traced"
    return f"{stage}: {what}; {traced}; however few report ${of_a_month(model, RATE).idle:.2f} a month"


def reserved(parts: Parts) -> Parts:
    """Return a price with all of the provisioned capacity reserved for a year."""
    paid = 1 - prices.RESERVED_SAVES
    return parts._replace(writes=parts.writes * paid, reads=parts.reads * paid)


def without(counted: Counted, service: str) -> Counted:
    """Return the counts without a service."""
    functions = [name for name in counted.calls if not name.startswith(f"{service} ")]
    return replace(
        counted,
        used={name: counted.used[name] for name in functions if name in counted.used},
        calls={name: counted.calls[name] for name in functions},
        published={name: count_ for name, count_ in counted.published.items() if name != service},
        metrics=frozenset(metric for metric in counted.metrics if metric.package != service),
    )
