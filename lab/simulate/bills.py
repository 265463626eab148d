"""Bills: of a million reports by part, beside goals; of a month, line by line; and what longer windows would save."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, NamedTuple

from andon.cdk.capacity import MODES, ON_DEMAND, PROVISIONED
from andon.cdk.target import AWS
from lab import prices
from lab.prices import MILLION, Basis, Line, total
from lab.simulate.counted import EVERY_S, Counted, Fleet, Way, count
from lab.simulate.idle import alarms_of_scaling, idle
from lab.simulate.model import MONTH_S, FleetModel, settings, target_of
from lab.simulate.money import Parts, kept, of_a_million, of_a_month, quiet_lines, reports
from lab.simulate.plants import as_things, egress, if_used, questions, screens, users
from lab.simulate.prediction import Load, predict
from lab.simulate.recorded import recording, replica_lines

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

NAME: Final = 76
PRICE: Final = 16
COLUMN: Final = 17

Bills = Mapping[float, Sequence[Line]]
"""Bills of a month, by reports a second."""


def whole(model: FleetModel, rate: float) -> list[Line]:
    """Return all lines of a month at so many reports a second."""
    load = Load(machines=round(rate * EVERY_S))
    things = as_things(load) if model.counted.fleet.way == Way.MQTT else ()
    parts = (reports, recording, kept, idle, users, screens, egress, questions)
    return [*things, *(line for part in parts for line in part(model, rate))]


def apart(model: FleetModel) -> FleetModel:
    """Return the model of which each message is received by a request of its own."""
    return replace(model, received=1.0)


def cheaper(counted: Counted, without: Counted, rate: float) -> FleetModel:
    """Return the model of prod with the capacity that costs less at a rate; without: what it does without reports."""
    models = [FleetModel(counted, without, target_of("prod", rate, capacity=mode)) for mode in MODES]
    return min(models, key=lambda model: total(whole(model, rate)))


def _table(models: Mapping[float, FleetModel], *, now: datetime, more: Bills) -> Iterator[str]:
    """Yield bills side by side: each price, and for each rate how many, and dollars.

    more: what a stage has only if somebody says so, which stands below the sum.
    """
    bills = {rate: whole(model, rate) for rate, model in models.items()}
    one_by_one = [total(whole(apart(model), rate)) for rate, model in models.items()]
    sums = [total(bill) for bill in bills.values()]
    millions = [dollars / (rate * MONTH_S / MILLION) for rate, dollars in zip(models, sums, strict=True)]
    head = "".join(f"{f'{rate:g}/s':>{COLUMN}}" for rate in bills)
    yield f"{'':{NAME}}{'$':>{PRICE}}{head}"
    yield from _rows(bills, now)
    yield _sums("all of it", sums)
    yield _sums("… with one message in each receive", one_by_one)
    yield _sums("… of a million reports", millions)
    yield "only where somebody says so:"
    yield from _rows(more, now)


def _rows(bills: Bills, now: datetime) -> Iterator[str]:
    by_name = [{(line.part, line.name): line for line in bill if line.amount} for bill in bills.values()]
    keys = dict.fromkeys(key for lines in by_name for key in lines)
    parts = [*dict.fromkeys(part for part, _ in keys)]
    for part, name in sorted(keys, key=lambda key: parts.index(key[0])):
        found = [lines.get((part, name)) for lines in by_name]
        line = next(one for one in found if one)
        mark = "?" if line.basis == Basis.ASSUMED else " "
        per = "" if line.price.per == 1 else f"/{_short(line.price.per)}"
        price = f"{line.price.dollars:g}{per}{' old' if line.price.is_old(now) else ''}"
        yield f"{f'{mark}{part:<11} {name}':<{NAME}}{price:>{PRICE}}" + "".join(map(_column, found))


def _column(line: Line | None) -> str:
    return f"{_short(line.amount):>7}{line.dollars:>{COLUMN - 7},.2f}" if line else f"{'':{COLUMN}}"


def _short(count: float) -> str:
    scales = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
    scale, letter = next(((scale, letter) for scale, letter in scales if count >= scale), (1.0, ""))
    return f"{count / scale:.3g}{letter}"


def _sums(what: str, dollars: Sequence[float]) -> str:
    return f"{what:<{NAME + PRICE}}" + "".join(f"{one:>{COLUMN},.2f}" for one in dollars)


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
        normal={way: count(Fleet.of(way)) for way in GOALS},
        mixed={way: count(Fleet.of(way, abnormal=ABNORMAL)) for way in Way},
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
    return [FleetModel(counted.mixed[Way.PUT], counted.idle, target_of(name)) for name in settings()]


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
        lines += [*_table(models, now=now, more=more), ""]
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
            yield from replica_lines(model, RATE)
    yield f"({prices.as_of(datetime.now(UTC))}; what is kept, and what a month costs: make simulate)"


def _judged(bill: Bill) -> Iterator[str]:
    """Yield the verdict; where the goal is missed, the largest parts of the price, and what would reach it."""
    parts = bill.parts
    is_met = parts.total <= bill.goal
    one_by_one = of_a_million(apart(bill.normal), RATE).total
    yield (
        f"{bill.stage}, {bill.name}: goal ≤ ${bill.goal:.2f}: {'met' if is_met else 'MISSED'} with ${parts.total:.2f}; "
        f"${one_by_one:.2f} with one message in each receive"
    )
    if not is_met:
        largest = sorted(parts._asdict().items(), key=lambda one: -one[1])[:4]
        yield f"  it is mostly {', '.join(f'{name} {dollars:.2f}' for name, dollars in largest)}"
    yield f"  with a year's reservation of its tables' capacity: ${reserved(parts).total:.2f}"
    smaller = replace(bill.normal, counted=_without(bill.normal.counted, "anomalies"))
    left = reserved(of_a_million(smaller, RATE))
    yield f"  and without the service anomalies, which nothing else needs: ${left.total:.2f}"


def _fixed(stage: str, model: FleetModel) -> str:
    """Return a stage's costs however few report."""
    alarms, used = alarms_of_scaling(model), model.used
    what = f"capacity {used:.0%} used, if the load never jumps; {alarms} alarms follow it" if alarms else "on demand"
    traced = "traced" if model.target.stage.traced else "not traced"
    return f"{stage}: {what}; {traced}; however few report ${of_a_month(model, RATE).idle:.2f} a month"


def reserved(parts: Parts) -> Parts:
    """Return a price with all of the provisioned capacity reserved for a year."""
    paid = 1 - prices.RESERVED_SAVES
    return parts._replace(writes=parts.writes * paid, reads=parts.reads * paid)


def _without(counted: Counted, service: str) -> Counted:
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


WINDOWS: Final = (
    ((100, 1), (100, 1)),
    ((200, 1), (10, 0)),
    (AWS.publish_batch, AWS.queue_batch),
    ((200, 3), (10, 0)),
)
"""Batches of publishers and of listeners, each at most so many, within so many seconds."""


def windows(counted: CountedWays) -> Iterator[str]:
    """Yield for each choice of windows: dollars of a million reports and of a month, and how long a report takes.

    Publishers are triggers and ingests, where facts are put together.
    """
    rates = (*reversed(RATES), 3_333.0)
    head = "".join(f"{f'{rate:g}/s, $':>14}{'a month':>10}" for rate in rates)
    yield f"{'seconds to wait: publisher, listener':<38}{'p50, s':>8}{'p99, s':>8}{head}"
    for way in (Way.PUT, Way.MQTT, Way.POST):
        models = {rate: cheaper(counted.mixed[way], counted.idle, rate) for rate in rates}
        for publishing, listening in WINDOWS:
            chosen = {
                rate: replace(one, target=replace(one.target, publish_batch=publishing, queue_batch=listening))
                for rate, one in models.items()
            }
            yield f"{f'{way}: {publishing[1]}, {listening[1]}':<38}{_chosen(chosen)}"


def _chosen(models: Mapping[float, FleetModel]) -> str:
    lags = [predict(model, Load(machines=round(rate * EVERY_S), hours=0.1)).lag for rate, model in models.items()]
    millions = {rate: of_a_million(model, rate).total for rate, model in models.items()}
    columns = "".join(f"{one:>14.2f}{one * rate * MONTH_S / MILLION:>10,.0f}" for rate, one in millions.items())
    p50, p99 = (max(getattr(lag, name) for lag in lags) / 1_000 for name in ("p50", "p99"))
    return f"{p50:>8.1f}{p99:>8.1f}{columns}"
