"""The table of README: what fleets of several sizes cost a month, and which limit they meet first."""

from collections.abc import Iterator
from typing import Final

from bench.simulate.arrivals import Load
from bench.simulate.counted import Counted
from bench.simulate.model import Model
from bench.simulate.money import of_a_month
from bench.simulate.prediction import Prediction, predict
from bench.simulate.settings import Settings

SIZES: Final = (1_000, 10_000, 60_000, 1_000_000)
HOURS: Final = 0.5
NAMED: Final = 2


def table(put: Counted, posted: Counted, idle: Counted, *, stage: str) -> str:
    """Return it in Markdown; `put`: the machines report by a PUT each, `posted`: gateways post 100 at once.

    stage: in which they are; where it takes too little for a fleet, with `reportsPerSecond` as it would have to be.
    """
    return "\n".join(_rows(put, posted, idle, stage))


def _rows(put: Counted, posted: Counted, idle: Counted, stage: str) -> Iterator[str]:
    yield "| machines | reports/s | $ a month, a PUT each | $ a month, POST of 100 | what gives first (used) |"
    yield "|---|---|---|---|---|"
    for machines in SIZES:
        load = Load(machines=machines, hours=HOURS)
        settings = Settings.of_stage(stage, load.rate)
        models = [Model(counted, idle, settings) for counted in (put, posted)]
        dollars = (of_a_month(model, load.rate).total for model in models)
        yield (
            f"| {machines:,} | {load.rate:,.0f} | "
            + " | ".join(f"{_rounded(one):,.0f}" for one in dollars)
            + f" | {_first(predict(models[0], load))} |"
        )


def _first(prediction: Prediction) -> str:
    used = sorted(prediction.used, key=lambda one: -one.share)
    most = [one for one in used if one.share > 1] or used[:NAMED]
    named = dict[str, float]()
    for one in most:
        named.setdefault(one.limit.quota or one.what, one.share)
    return "; ".join(f"{name} ({share:.0%})" for name, share in named.items())


def _rounded(dollars: float) -> float:
    """Return two significant digits: the model has no more."""
    return float(f"{dollars:.2g}")
