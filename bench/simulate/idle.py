"""What there is however few report: polls, alarms, metrics, keys, secrets, and functions that run by a schedule."""

import json
from collections.abc import Iterator
from typing import Final

from andon.packages.discovery import recomputed
from andon.tools.figures import ALARMS_OF_POLICY, KEPT, POLICIES_OF_PLACE
from bench import prices
from bench.simulate import limits, receives, recorded
from bench.simulate.capacity import provisioned_places
from bench.simulate.counted import FILTERS, UNSAMPLED
from bench.simulate.line import Basis, Line
from bench.simulate.model import FleetModel
from bench.simulate.recorded import DAY_HOURS
from bench.simulate.settings import MONTH_DAYS, MONTH_S, memory_mb
from bench.simulate.sweeps import SWEEP_EVERY_S

DEPLOYED: Final = json.loads(KEPT.read_text())["prod"]
QUEUES_POLLED: Final[int] = DEPLOYED["polledQueues"]
ALARMS: Final[int] = DEPLOYED["alarmMetrics"]  # paid for by their metrics, of which some have two or three
SECRETS: Final[int] = DEPLOYED["secrets"]

HOUR_S: Final = 3_600
HOURLY: Final = MONTH_DAYS * DAY_HOURS


def idle(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month; at so many reports a second, for then fewer polls find nothing."""
    polls = receives.in_vain(model, rate, queues=QUEUES_POLLED) * MONTH_S
    yield Line("idle", prices.QUEUE_REQUEST, polls, what="SQS requests that find nothing")
    yield Line("idle", prices.ALARM, ALARMS, Basis.DEPLOYED)
    if alarms := alarms_of_scaling(model):
        yield Line("idle", prices.ALARM, alarms, Basis.DEPLOYED, "CloudWatch alarms of scaling a month")
    yield Line("idle", prices.METRIC, len(model.counted.metrics | UNSAMPLED) + FILTERS)
    yield Line("idle", prices.DASHBOARD, 1, Basis.DEPLOYED)
    yield from _scheduled(model)
    yield from _keys(model)
    if model.target.trailed:
        what = "CloudTrail data events: hourly runs"
        yield Line("idle", prices.DATA_EVENT, recorded.of_a_day().total * MONTH_DAYS, what=what)


def alarms_of_scaling(model: FleetModel) -> int:
    """Return the number of Application Auto Scaling's alarms, which cost as any other."""
    return len(provisioned_places(model.target)) * POLICIES_OF_PLACE * ALARMS_OF_POLICY


def _scheduled(model: FleetModel) -> Iterator[Line]:
    """Yield what sweeps and looks for drift cost that find nothing."""
    sweeps = {name: used for name, used in model.idle.used.items() if name.endswith(" sweep")}
    months = MONTH_S / model.idle.fleet.seconds
    reads = sum(used.reads for used in sweeps.values()) * months
    yield Line("idle", prices.READ_UNIT, reads, what=f"{prices.READ_UNIT.of}: sweeps that find nothing")
    looks = HOURLY * len(recomputed())
    called = len(sweeps) * model.target.sweeps_at_once * MONTH_S / SWEEP_EVERY_S
    yield Line("idle", prices.INVOCATION, called + looks + HOURLY, what=f"{prices.INVOCATION.of}: by a schedule")
    gb_seconds = looks * limits.LOOK_S.value * memory_mb("recompute") / 1_024
    for name, used in sweeps.items():
        requests = used.requests.total() * months
        ms = requests * limits.CPU_PER_REQUEST_SWEPT_MS.value * limits.LAMBDA_SLOWER.value / model.work(name).share
        gb_seconds += (ms + called / len(sweeps) * limits.DYNAMODB_MS[0].value) / 1_000 * memory_mb(name) / 1_024
    yield Line("idle", prices.GB_SECOND, gb_seconds, Basis.ASSUMED, f"{prices.GB_SECOND.of}: by a schedule")
    asked = recorded.of_a_day().times(MONTH_DAYS)
    yield Line("idle", prices.S3_GET, asked.reads, what=f"{prices.S3_GET.of}: hourly runs")
    yield Line("idle", prices.S3_PUT, asked.writes, what=f"{prices.S3_PUT.of}: hourly runs")


def _keys(model: FleetModel) -> Iterator[Line]:
    """Yield keys and secrets. A queue, a bucket and a topic have AWS's own keys, which cost nothing."""
    if model.target.customer_key:
        yield Line("idle", prices.KEY, 1, Basis.DEPLOYED)
        requests = sum(len(used.by_table()) for used in model.counted.used.values()) * MONTH_S / limits.KEY_KEPT_S.value
        yield Line("idle", prices.KEY_REQUEST, requests, Basis.ASSUMED)
    yield Line("idle", prices.SECRET, SECRETS, Basis.DEPLOYED)
    yield Line("idle", prices.SECRET_REQUEST, SECRETS * MONTH_S / limits.SECRET_KEPT_S.value, Basis.ASSUMED)
