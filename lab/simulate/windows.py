"""What it buys to wait for more facts: where they are put together (triggers, ingests), and where they come out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from andon.cdk.target import AWS
from lab.prices import MILLION
from lab.simulate.arrivals import Load
from lab.simulate.bills import CountedWays
from lab.simulate.counted import EVERY_S, Way
from lab.simulate.model import FleetModel
from lab.simulate.money import of_a_million
from lab.simulate.prediction import predict
from lab.simulate.settings import MONTH_S
from lab.simulate.whole import cheaper

RATES: Final = (3.3, 33.0, 200.0, 3_333.0)
HOURS: Final = 0.1

Batch = tuple[int, int]

CHOICES: Final[tuple[tuple[Batch, Batch], ...]] = (
    ((100, 1), (100, 1)),
    ((200, 1), (10, 0)),
    (AWS.publish_batch, AWS.queue_batch),
    ((200, 3), (10, 0)),
)
"""Batches of publishers and of listeners, each at most so many, within so many seconds."""


def lines(counted: CountedWays) -> Iterator[str]:
    """Yield for each choice of windows: dollars of a million reports and of a month, and how long a report takes."""
    head = "".join(f"{f'{rate:g}/s, $':>14}{'a month':>10}" for rate in RATES)
    yield f"{'seconds to wait: publisher, listener':<38}{'p50, s':>8}{'p99, s':>8}{head}"
    for way in (Way.PUT, Way.MQTT, Way.POST):
        for publishing, listening in CHOICES:
            models = {rate: _model(counted, way, rate, publishing, listening) for rate in RATES}
            yield _line(f"{way}: {publishing[1]}, {listening[1]}", models)


def _model(counted: CountedWays, way: Way, rate: float, publishing: Batch, listening: Batch) -> FleetModel:
    model = cheaper(counted.mixed[way], counted.idle, rate)
    return replace(model, target=replace(model.target, publish_batch=publishing, queue_batch=listening))


def _line(what: str, models: dict[float, FleetModel]) -> str:
    lags = [predict(model, Load(machines=round(rate * EVERY_S), hours=HOURS)).lag for rate, model in models.items()]
    millions = {rate: of_a_million(model, rate).total for rate, model in models.items()}
    columns = "".join(f"{one:>14.2f}{one * rate * MONTH_S / MILLION:>10,.0f}" for rate, one in millions.items())
    p50, p99 = (max(getattr(lag, name) for lag in lags) / 1_000 for name in ("p50", "p99"))
    return f"{what:<38}{p50:>8.1f}{p99:>8.1f}{columns}"
