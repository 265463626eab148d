"""Predictions as text and as a picture; the table of docs/deploy.md; and the throughput on this machine."""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from andon.cdk.operations.signals import LATE_DECISION_SECONDS
from andon.cdk.target import LOCAL
from demo.loading import MEASURED
from lab import prices
from lab.metered import HTTP
from lab.prices import total
from lab.simulate import limits
from lab.simulate.batches import messages_to_queues
from lab.simulate.bills import cheaper, whole
from lab.simulate.counted import EVERY_S, QUEUED, Counted, Way
from lab.simulate.model import REPORTS, FleetModel, role_of, settings
from lab.simulate.money import of_a_million, of_a_month
from lab.simulate.plants import device_lines
from lab.simulate.prediction import Load, Prediction, named, predict

LAG_MS: Final = 5_000
LATE_MS: Final = LATE_DECISION_SECONDS * 1_000
SHOWN: Final = 8
BLUE, PALE, RED, GREY = "#2b6ca3", "#b9d3e8", "#c2413a", "#6b7280"


def report(model: FleetModel, prediction: Prediction) -> str:
    """Return all of it."""
    sections = (_load, _lag, _late, _partitions, _functions, _limits)
    lines = [line for section in sections for line in (*section(prediction), "")]
    devices = device_lines(prediction.load, prediction.arrivals.busiest)
    return "\n".join([*lines, *_money(model, prediction), "", *devices])


def in_stage(name: str, model: FleetModel) -> str:
    """Return the stage's line, with the settings that this load would need."""
    said, reports = settings()[name][REPORTS], model.target.reports.per_second
    needed = "" if reports == said else f" (cdk.json says {said:,}: it would have to be raised)"
    sweeps = f"{model.target.sweeps_at_once} sweeps at a time"
    tables = f"provisioned, {model.used:.0%} used if no load jumps" if model.target.capacity else "on demand"
    return f"stage {name}: {REPORTS} {reports:,.0f}{needed}, {sweeps}, steady tables {tables}"


def _load(prediction: Prediction) -> Iterator[str]:
    load, came = prediction.load, prediction.arrivals
    yield (
        f"{load.machines:,} machines, {load.hours:g} h: {load.rate:,.0f} reports/s on average, "
        f"{came.busiest:,.0f} in the busiest second, {came.sent:,.0f} in all"
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
    most = limits.PARTITION_WRITES
    yield f"{'busiest partition, write units/s':<34} {'units/s':>8} {'of':>8}  shared by"
    for one in prediction.partitions[:SHOWN]:
        yield f"  {named(one.place):<32} {one.units_per_s:>8,.1f} {most:>8,.0f}  one {one.shared_by}"


def _functions(prediction: Prediction) -> Iterator[str]:
    yield f"{'function':<34} {'calls/s':>8} {'records':>8} {'at once':>8}"
    for name, (calls, records, at_once) in sorted(prediction.functions.items(), key=lambda one: -one[1][0]):
        yield f"  {name:<32} {calls:>8,.1f} {records:>8,.1f} {at_once:>8,.1f}"


def _limits(prediction: Prediction) -> Iterator[str]:
    yield f"{'what gives first':<62} {'used':>10} {'of':>10}"
    for one in prediction.most_used[:SHOWN]:
        mark = "  TOO MUCH" if one.share > 1 else ""
        yield f"  {one.what:<60} {one.used:>10,.0f} {one.limit:>10,.0f}{mark}"
    machines = prediction.load.machines / prediction.most_used[0].share
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
    for machines in (1_000, 10_000, 60_000, 1_000_000):
        load = Load(machines=machines, hours=0.5)
        models = [cheaper(one, idle, load.rate) for one in counted.values()]
        # The model has no more than two significant digits.
        dollars = (float(f"{total(whole(model, load.rate)):.2g}") for model in models)
        first = _first(predict(models[0], load))
        yield f"| {machines:,} | {load.rate:,.0f} | " + " | ".join(f"{one:,.0f}" for one in dollars) + f" | {first} |"


def _first(prediction: Prediction) -> str:
    used, shares = prediction.most_used, dict[str, float]()
    for one in [one for one in used if one.share > 1] or used[:2]:
        shares.setdefault(one.limit.quota or one.what, one.share)
    return "; ".join(f"{name} ({share:.0%})" for name, share in shares.items())


def _goal(value: float, most: float) -> str:
    return f"goal < {most / 1_000:g} s: {'met' if value < most else 'MISSED'}"


def draw(predictions: list[Prediction], file: Path) -> None:
    """Draw one row for each prediction."""
    spaced = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.15)
    figure = Figure(figsize=(15, 4 * len(predictions)), layout=spaced)
    rows = figure.subplots(len(predictions), 3, squeeze=False, width_ratios=(1.0, 0.8, 1.0))
    for (steps, late, used), prediction in zip(rows, predictions, strict=True):
        _draw_steps(steps, prediction)
        _draw_late(late, prediction)
        _draw_used(used, prediction)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=110)


def _draw_steps(axes: Axes, prediction: Prediction) -> None:
    names = [*prediction.steps, "whole"]
    times = [*prediction.steps.values(), prediction.lag]
    axes.barh(names, [one.p99 / 1_000 for one in times], color=PALE, label="p99")
    axes.barh(names, [one.p50 / 1_000 for one in times], color=BLUE, height=0.4, label="p50")
    axes.axvline(LAG_MS / 1_000, color=RED, linewidth=1, label="goal")
    axes.invert_yaxis()
    _tidy(axes, f"{prediction.load.machines:,} machines: from PUT to readable, s")


def _draw_late(axes: Axes, prediction: Prediction) -> None:
    names, late = [*prediction.late], [*prediction.late.values()]
    axes.bar(names, [one.longest / 1_000 for one in late], color=GREY, width=0.6, label="max")
    axes.bar(names, [one.p99 / 1_000 for one in late], color=PALE, width=0.5, label="p99")
    axes.bar(names, [one.p50 / 1_000 for one in late], color=BLUE, width=0.3, label="p50")
    axes.axhline(LATE_MS / 1_000, color=RED, linewidth=1, label="goal")
    axes.set_xlim(-0.75, len(names) - 0.25)  # else one bar would be as wide as the plot
    _tidy(axes, "decided after it was due, s")


def _draw_used(axes: Axes, prediction: Prediction) -> None:
    most = prediction.most_used[:10]
    colours = [RED if one.share > 1 else BLUE for one in most]
    axes.barh([one.what for one in most], [one.share for one in most], color=colours)
    axes.axvline(1, color=RED, linewidth=1, label="all of it")
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    _tidy(axes, "share of each limit in the busiest second")


def _tidy(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=10, pad=26)  # the legend lies between, where no bar is
    narrow = {"columnspacing": 1.2, "handlelength": 1.5}
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=4, frameon=False, fontsize=8, **narrow)
    axes.spines[["top", "right"]].set_visible(False)


def on_this_machine(model: FleetModel) -> Iterator[str]:
    """Yield the throughput here, where everything shares the processors, and what `make load` measured last."""
    cores = os.cpu_count() or 1
    rate = cores * 1_000 / _cpu_ms(model, rate=1.0)
    for _ in range(8):  # fuller batches need fewer invocations
        rate = cores * 1_000 / _cpu_ms(model, rate=rate)
    yield f"the stack on this machine, {cores} processors that nothing else uses: {rate:,.0f} reports/s"
    yield f"  of which each takes {_cpu_ms(model, rate=rate):,.1f} ms of CPU, sweeps left out, for they come later"
    if MEASURED.exists():
        last = json.loads(MEASURED.read_text())
        yield f"  `make load` measured {last['per_s']:,.0f}/s: {last['commands']} at {last['clients']} clients"
    else:
        yield "  measured: nothing yet (make up; make load N=500 C=8)"


def _cpu_ms(model: FleetModel, *, rate: float) -> float:
    """Return the CPU that a report takes here.

    Assumed, in ms: 2 of `make load` itself; 0.2 of a message, from the bus to a queue and out of it; 0.5 of a request
    to the emulator; 2 to bring an event to a function's process and the answer back.
    """
    cpu_ms = 2 + sum(messages_to_queues(model, rate).values()) * 0.2
    for name in model.counted.calls:
        role = role_of(name)
        if role == "sweep":
            continue
        records, work = model.records(name), model.work(name)
        size = 1 if role in HTTP else (LOCAL.queue_batch if role in QUEUED else LOCAL.publish_batch)[0]
        # The emulator looks for changes and messages ten times a second, one batch of each at a time.
        batch = min(size, max(1.0, records * rate * 0.1))
        cpu_ms += (model.requests(name) + records / batch * work.puts(batch)) * 0.5 + records / batch * 2
        cpu_ms += records / batch * work.cpu_ms(batch) / limits.LAMBDA_SLOWER
    return cpu_ms
