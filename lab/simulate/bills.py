"""Bills of a million reports, by part, beside the goals; and the whole bill of a month, at several rates."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, NamedTuple

from andon.cdk.capacity import ON_DEMAND, PROVISIONED
from lab import prices
from lab.simulate import replica, settings, whole
from lab.simulate.counted import Counted, Fleet, Way, fleet_of
from lab.simulate.idle import alarms_of_scaling
from lab.simulate.model import FleetModel
from lab.simulate.money import Parts, of_a_million
from lab.simulate.month import of_a_month
from lab.simulate.people import if_used
from lab.simulate.quiet import quiet_lines
from lab.simulate.sample import count
from lab.simulate.settings import target_of
from lab.simulate.whole import cheaper

RATE: Final = 200.0
"""Reports a second: 60,000 machines. The more, the fuller batches are."""

RATES: Final = (RATE, 33.0, 3.3)

ABNORMAL: Final = 0.1

JUDGED: Final = "prod, load known"
"""The stage that has to reach the goals."""

STAGES: Final = {
    "dev": ("dev", None),
    "prod at first": ("prod", ON_DEMAND),
    JUDGED: ("prod", PROVISIONED),
}
"""Stages of cdk.json, prod before and after somebody knows its load: their names, and the capacity of steady tables."""

GOALS: Final = {Way.PUT: 4.25, Way.POST: 2.50}

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


class CountedWays(NamedTuple):
    """The counts of each way to report: NORMAL reports, those of which a tenth is not, and none."""

    normal: Mapping[Way, Counted]
    mixed: Mapping[Way, Counted]
    idle: Counted


def count_ways() -> CountedWays:
    """Count each way to report."""
    return CountedWays(
        normal={way: count(fleet_of(way)) for way in GOALS},
        mixed={way: count(fleet_of(way, abnormal=ABNORMAL)) for way in Way},
        idle=count(Fleet(machines=0)),
    )


def bills(counted: CountedWays) -> tuple[Bill, ...]:
    """Price what was counted in each stage."""
    targets = {name: target_of(stage, capacity=capacity) for name, (stage, capacity) in STAGES.items()}
    return tuple(
        Bill(name, way, goal, *(FleetModel(of[way], counted.idle, target) for of in (counted.normal, counted.mixed)))
        for name, target in targets.items()
        for way, goal in GOALS.items()
    )


def stages(counted: CountedWays) -> list[FleetModel]:
    """Return the model of each stage, as cdk.json has it."""
    return [FleetModel(counted.mixed[Way.PUT], counted.idle, target_of(name)) for name in settings.stages()]


def report(bills_: tuple[Bill, ...]) -> str:
    """Return the bills side by side, and what would be needed where a goal is missed."""
    return "\n".join(_lines(bills_))


def whole_report(counted: CountedWays, *, telling_dollars: float) -> str:
    """Return the whole bill of each way to report, at each rate, and what a quiet month costs."""
    now, lines = datetime.now(UTC), list[str]()
    more = {rate: [*if_used(rate, telling_dollars=telling_dollars)] for rate in RATES}
    for way, one in counted.mixed.items():
        models = {rate: cheaper(one, counted.idle, rate) for rate in RATES}
        lines += [f"a month of prod: {way}, one report in ten not NORMAL, {_modes(models)} (?: assumed)"]
        lines += [*whole.table(models, now=now, more=more), ""]
    return "\n".join([*lines, *quiet_lines(counted.mixed[Way.PUT], counted.idle)])


def _modes(models: Mapping[float, FleetModel]) -> str:
    """Return the rates at which tables that reports fill are provisioned, because that is cheaper."""
    rates = [f"{rate:g}/s" for rate, model in models.items() if model.target.capacity]
    return f"tables provisioned at {' and '.join(rates)}" if rates else "tables on demand"


def _lines(bills_: tuple[Bill, ...]) -> Iterator[str]:
    yield f"{f'a million reports, {RATE:g}/s, $':<22}" + "".join(f"{bill.stage:>18}" for bill in bills_)
    yield f"{'':<22}" + "".join(f"{bill.name:>18}" for bill in bills_)
    yield f"{'':<22}" + "".join(f"{'NORMAL':>10} {'other':>7}" for _ in bills_)
    priced = [(bill.parts, bill.abnormal) for bill in bills_]
    for part in Parts._fields:
        columns = (f"{getattr(normal, part):>10.2f} {getattr(other, part):>7.2f}" for normal, other in priced)
        yield f"  {part:<20}" + "".join(columns)
    yield f"{'all of it':<22}" + "".join(f"{normal.total:>10.2f} {other.total:>7.2f}" for normal, other in priced)
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
    apart = of_a_million(whole.apart(bill.normal), RATE).total
    yield (
        f"{bill.stage}, {bill.name}: goal ≤ ${bill.goal:.2f}: {'met' if is_met else 'MISSED'} with ${parts.total:.2f}; "
        f"${apart:.2f} with one message in each receive"
    )
    if not is_met:
        largest = sorted(parts._asdict().items(), key=lambda one: -one[1])[:LARGEST]
        yield f"  it is mostly {', '.join(f'{name} {dollars:.2f}' for name, dollars in largest)}"
    yield from _levers(bill)


def _levers(bill: Bill) -> Iterator[str]:
    """Yield the prices with each saving and those before it."""
    yield f"  with a year's reservation of its tables' capacity: ${reserved(bill.parts).total:.2f}"
    smaller = replace(bill.normal, counted=without(bill.normal.counted, OPTIONAL))
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
        facts={(name, source): facts for (name, source), facts in counted.facts.items() if name in functions},
        published={(source, to): facts for (source, to), facts in counted.published.items() if to != service},
        metrics=frozenset(metric for metric in counted.metrics if metric.package != service),
    )
