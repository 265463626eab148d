"""What there is however few report: polls, alarms, metrics, keys, secrets, and functions that run by a schedule."""

import json
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Final

from andon.packages.discovery import recomputed
from andon.rules.sweep import EVERY_SECONDS
from andon.tools.figures import ALARMS_OF_POLICY, KEPT, POLICIES_OF_PLACE, Figures
from lab import prices
from lab.prices import Basis, Line, total
from lab.simulate import limits
from lab.simulate.batches import requests_in_vain
from lab.simulate.model import GB, HOUR_S, MONTH_DAYS, MONTH_S, FleetModel, memory_mb, provisioned_places, role_of
from lab.simulate.recorded import DAY_HOURS, of_a_day

FIGURES: Final[Mapping[str, Figures]] = json.loads(KEPT.read_text())
"""Figures of the templates, by stage; see `make figures`."""

GOALS: Final = {"dev": 12.0, "prod": 50.0}
"""Dollars a month of a stage in which nothing happens."""

NAME: Final = 60
COLUMN: Final = 20


def deployed(model: FleetModel, what: str) -> int:
    """Return the number of something in the stage's templates."""
    return int(FIGURES[model.target.stage.name][what])


def idle(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month at so many reports a second, for then fewer polls find nothing; 0: nothing happens.

    AWS takes nothing for rules that run by the clock, for Lambda's reads of a table's stream, for an alias's
    deployments, and for keys that are its own.
    """
    polls = requests_in_vain(model, rate, queues=deployed(model, "polledQueues")) * MONTH_S
    yield Line("idle", prices.QUEUE_REQUEST, polls, what="SQS requests that find nothing")
    yield Line("idle", prices.ALARM, deployed(model, "alarmMetrics"), Basis.DEPLOYED)
    if alarms := alarms_of_scaling(model):
        yield Line("idle", prices.ALARM, alarms, Basis.DEPLOYED, "CloudWatch alarms of scaling a month")
    yield Line("idle", prices.METRIC, len((model.counted if rate else model.idle).metrics))
    yield Line("idle", prices.DASHBOARD, deployed(model, "dashboards"), Basis.DEPLOYED)
    yield from _scheduled(model, rate)
    asked = of_a_day(is_quiet=not rate).times(MONTH_DAYS)
    yield Line("idle", prices.S3_GET, asked.reads, what=f"{prices.S3_GET.of}: hourly runs")
    yield Line("idle", prices.S3_PUT, asked.writes, what=f"{prices.S3_PUT.of}: hourly runs")
    yield from _keys(model, rate)
    if model.target.stage.data_trail:
        yield Line("idle", prices.DATA_EVENT, asked.total, what="CloudTrail data events: hourly runs")


def alarms_of_scaling(model: FleetModel) -> int:
    """Return the number of Application Auto Scaling's alarms, which cost as any other."""
    return len(provisioned_places(model.target)) * POLICIES_OF_PLACE * ALARMS_OF_POLICY


def runs_of_an_hour(model: FleetModel) -> int:
    """Return the number of times that schedules call a function: sweeps, looks for drift, and the archive's sweep."""
    return len(_sweeps(model)) * model.target.sweeps_at_once * HOUR_S // EVERY_SECONDS + len(recomputed()) + 1


def idle_report(models: Sequence[FleetModel]) -> str:
    """Return the lines of each stage's month in which nothing happens, side by side, and whether its goal is met."""
    months = [[line for line in idle(model, 0) if line.amount] for model in models]
    by_name = [{line.name: line for line in month} for month in months]
    head = "".join(f"{model.target.stage.name:>{COLUMN}}" for model in models)
    lines = [f"{'a month in which nothing happens, $':<{NAME}}{head}"]
    for name in dict.fromkeys(name for found in by_name for name in found):
        cells = (_cell(of[name]) if name in of else "" for of in by_name)
        lines.append(f"  {name:<{NAME - 2}}" + "".join(f"{cell:>{COLUMN}}" for cell in cells))
    lines.append(f"{'all of it':<{NAME}}" + "".join(f"{total(month):>{COLUMN},.2f}" for month in months))
    for model, month in zip(models, months, strict=True):
        goal = GOALS[model.target.stage.name]
        verdict = "met" if total(month) <= goal else "MISSED"
        lines.append(f"{model.target.stage.name}: goal ≤ ${goal:.2f}: {verdict} with ${total(month):.2f}")
    return "\n".join(lines)


def _cell(line: Line) -> str:
    return f"{line.amount:>12,.{0 if line.amount >= 1 else 2}f}{line.dollars:>8,.2f}"


def _sweeps(model: FleetModel) -> list[str]:
    return [name for name in model.idle.used if role_of(name) == "sweep"]


def _scheduled(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield what sweeps and looks for drift cost that find nothing; where nothing happens, there is one in a day."""
    sweeps, hours = {name: model.idle.used[name] for name in _sweeps(model)}, MONTH_DAYS * DAY_HOURS
    months = MONTH_S / model.idle.fleet.seconds
    reads = sum(used.reads for used in sweeps.values()) * months
    yield Line("idle", prices.READ_UNIT, reads, what=f"{prices.READ_UNIT.of}: sweeps that find nothing")
    called = runs_of_an_hour(model) * hours
    yield Line("idle", prices.INVOCATION, called, what=f"{prices.INVOCATION.of}: by a schedule")
    looks = (hours if rate else MONTH_DAYS) * len(recomputed())
    gb_seconds = looks * limits.LOOK_S * memory_mb("recompute") / 1_024
    swept = model.target.sweeps_at_once * MONTH_S / EVERY_SECONDS
    for name, used in sweeps.items():
        requests = used.requests.total() * months
        ms = requests * limits.CPU_PER_REQUEST_SWEPT_MS * limits.LAMBDA_SLOWER / model.work(name).share
        gb_seconds += (ms + swept * limits.DYNAMODB_MS[0]) / 1_000 * memory_mb(name) / 1_024
    yield Line("idle", prices.GB_SECOND, gb_seconds, Basis.ASSUMED, f"{prices.GB_SECOND.of}: by a schedule")
    lines = [model.idle.calls[name].log_bytes for name in sweeps if name in model.idle.calls]
    said = sum(mean(line) + limits.LOG_EVENT_BYTES for line in lines if line) * swept
    yield Line("idle", prices.LOGGED_GB, said / GB, what=f"{prices.LOGGED_GB.of}: by a schedule")


def _keys(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield keys and secrets. A queue, a bucket and a topic have AWS's own keys."""
    if model.target.stage.customer_key:
        yield Line("idle", prices.KEY, 1, Basis.DEPLOYED)
        callers = (model.counted if rate else model.idle).used.values()
        requests = sum(len(used.by_table()) for used in callers) * MONTH_S / limits.KEY_KEPT_S
        yield Line("idle", prices.KEY_REQUEST, requests, Basis.ASSUMED)
    secrets = deployed(model, "secrets")
    yield Line("idle", prices.SECRET, secrets, Basis.DEPLOYED)
    # The sender reads it when it sends.
    read = secrets * MONTH_S / limits.SECRET_KEPT_S if rate else 0
    yield Line("idle", prices.SECRET_REQUEST, read, Basis.ASSUMED)
