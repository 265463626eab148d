"""Predictions as text, and the table of docs/deploy.md: costs and first limits of fleets of several sizes."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from andon.cdk.operations.signals import LATE_DECISION_SECONDS
from lab import prices
from lab.simulate import connected, limits
from lab.simulate.arrivals import Load
from lab.simulate.counted import EVERY_S, Counted, Way
from lab.simulate.line import total
from lab.simulate.model import FleetModel
from lab.simulate.money import of_a_million
from lab.simulate.month import of_a_month
from lab.simulate.partitions import named
from lab.simulate.prediction import Prediction, predict
from lab.simulate.settings import REPORTS, stages
from lab.simulate.whole import cheaper, whole

LAG_MS: Final = 5_000
LATE_MS: Final = LATE_DECISION_SECONDS * 1_000
SHOWN: Final = 8

SIZES: Final = (1_000, 10_000, 60_000, 1_000_000)
HOURS: Final = 0.5
NAMED: Final = 2


def report(model: FleetModel, prediction: Prediction) -> str:
    """Return all of it."""
    sections = (_load, _lag, _late, _partitions, _functions, _limits)
    lines = [line for section in sections for line in (*section(prediction), "")]
    busiest = float(prediction.arrivals.taken.max(initial=0))
    return "\n".join([*lines, *_money(model, prediction), "", *connected.lines(prediction.load, busiest)])


def in_stage(name: str, model: FleetModel) -> str:
    """Return the stage's line, with the settings that this load would need."""
    said, reports = stages()[name][REPORTS], model.target.reports.per_second
    needed = "" if reports == said else f" (cdk.json says {said:,}: it would have to be raised)"
    sweeps = f"{model.target.sweeps_at_once} sweeps at a time"
    tables = f"provisioned, {model.used:.0%} used if no load jumps" if model.target.capacity else "on demand"
    return f"stage {name}: {REPORTS} {reports:,.0f}{needed}, {sweeps}, steady tables {tables}"


def _load(prediction: Prediction) -> Iterator[str]:
    load, came = prediction.load, prediction.arrivals
    yield (
        f"{load.machines:,} machines, {load.hours:g} h: {load.rate:,.0f} reports/s on average, "
        f"{came.taken.max(initial=0):,.0f} in the busiest second, {came.sent:,.0f} in all"
    )
    yield f"refused by the API's throttle, and sent again: {came.refused / max(1, came.sent):.2%}"
    if prediction.load.spread_s < EVERY_S:
        yield f"all of them report within {load.spread_s} s of every five minutes"


def _lag(prediction: Prediction) -> Iterator[str]:
    yield f"{'from PUT to readable, ms':<34} {'p50':>8} {'p99':>8}"
    for name, times in prediction.steps.items():
        yield f"  {name:<32} {times.p50:>8,.0f} {times.p99:>8,.0f}"
    yield f"{'whole':<34} {prediction.lag.p50:>8,.0f} {prediction.lag.p99:>8,.0f}  {_goal(prediction.lag.p99, LAG_MS)}"


def _late(prediction: Prediction) -> Iterator[str]:
    yield f"{'decided after it was due, s':<34} {'p50':>8} {'p99':>8} {'max':>8} {'rows/min':>10} {'at most':>10}"
    for name, late in prediction.late.items():
        rows, most = prediction.due_rows[name]
        seconds = " ".join(f"{value / 1_000:>8,.0f}" for value in (late.p50, late.p99, late.longest))
        yield f"  {name:<32} {seconds} {rows:>10,.0f} {most:>10,.0f}  {_goal(late.longest, LATE_MS)}"


def _partitions(prediction: Prediction) -> Iterator[str]:
    most = limits.PARTITION_WRITES.value
    yield f"{'busiest partition, write units/s':<34} {'units/s':>8} {'of':>8}  shared by"
    for one in prediction.partitions[:SHOWN]:
        yield f"  {named(one.place):<32} {one.units_per_s:>8,.1f} {most:>8,.0f}  one {one.shared_by}"


def _functions(prediction: Prediction) -> Iterator[str]:
    yield f"{'function':<34} {'calls/s':>8} {'records':>8} {'at once':>8}"
    for name, (calls, records, at_once) in sorted(prediction.functions.items(), key=lambda one: -one[1][0]):
        yield f"  {name:<32} {calls:>8,.1f} {records:>8,.1f} {at_once:>8,.1f}"


def _limits(prediction: Prediction) -> Iterator[str]:
    first = prediction.first
    yield f"{'what gives first':<62} {'used':>10} {'of':>10}"
    for one in sorted(prediction.used, key=lambda one: -one.share)[:SHOWN]:
        mark = "  TOO MUCH" if one.share > 1 else ""
        yield f"  {one.what:<60} {one.used:>10,.0f} {one.limit.value:>10,.0f}{mark}"
    machines = prediction.load.machines / first.share
    yield f"  at {machines:,.0f} machines the first of them is full"
    for one in prediction.exceeded:
        what = f"to be bought: {one.limit.quota}" if one.limit.quota else "cannot be bought"
        yield f"  {what}: {one.used:,.0f} {one.what}"


def _money(model: FleetModel, prediction: Prediction) -> Iterator[str]:
    rate = prediction.load.rate
    parts, month, bill = of_a_million(model, rate), of_a_month(model, rate), whole(model, rate)
    yield f"a million reports cost ${parts.total:.2f} ({prices.as_of(datetime.now(UTC))})"
    dearest = sorted(parts._asdict().items(), key=lambda one: -one[1])
    yield "  " + ", ".join(f"{name} {dollars:.2f}" for name, dollars in dearest if round(dollars, 2))
    yield (
        f"a day costs ${month.total / 30:,.2f}, a month ${month.total:,.0f}: "
        f"reports {month.reports:,.0f}, their recording {month.recording:,.0f}, what is kept {month.kept:,.0f}, "
        f"idle {month.idle:,.0f}"
    )
    yield f"  with devices, screens and people, of whom much is assumed, ${total(bill):,.0f} (all lines: make costs)"


def table(counted: Mapping[Way, Counted], idle: Counted) -> Iterator[str]:
    """Yield the lines of the table, in Markdown: the whole bill of prod by each way to report, and what gives first.

    Tables have the capacity that is cheaper at the rate. Where the stage takes too little for a fleet, it is as it
    would have to be.
    """
    yield f"| machines | reports/s | {' | '.join(f'$ a month, {way}' for way in counted)} | what gives first (used) |"
    yield f"|---|---|{'---|' * len(counted)}---|"
    for machines in SIZES:
        load = Load(machines=machines, hours=HOURS)
        models = [cheaper(one, idle, load.rate) for one in counted.values()]
        # The model has no more than two significant digits.
        dollars = (float(f"{total(whole(model, load.rate)):.2g}") for model in models)
        first = _first(predict(models[0], load))
        yield f"| {machines:,} | {load.rate:,.0f} | " + " | ".join(f"{one:,.0f}" for one in dollars) + f" | {first} |"


def _first(prediction: Prediction) -> str:
    used = sorted(prediction.used, key=lambda one: -one.share)
    named = dict[str, float]()
    for one in [one for one in used if one.share > 1] or used[:NAMED]:
        named.setdefault(one.limit.quota or one.what, one.share)
    return "; ".join(f"{name} ({share:.0%})" for name, share in named.items())


def _goal(value: float, most: float) -> str:
    return f"goal < {most / 1_000:g} s: {'met' if value < most else 'MISSED'}"
