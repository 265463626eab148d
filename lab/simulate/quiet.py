"""What capacity costs in a quiet month, by what a stage chooses: on demand, provisioned, and what it was before.

A place that nobody uses at all is never scaled down: see docs/deploy.md. So each choice has two prices.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from andon.cdk.capacity import NEW, ON_DEMAND, PROVISIONED, Throughput, warm
from lab import prices
from lab.simulate.capacity import at_first, steady_places
from lab.simulate.counted import Counted
from lab.simulate.idle import alarms_of_scaling
from lab.simulate.model import FleetModel
from lab.simulate.money import of_report
from lab.simulate.settings import MONTH_S, target_of

QUIET: Final = (0.0, 3.3, 33.0, 200.0)
HOURS: Final = MONTH_S / 3_600
BEFORE: Final = 1_600
"""Units of reads, and of writes, that each steady place once began with, whatever it is used for."""


class QuietMonth(NamedTuple):
    """Dollars a month of the units of tables, and of the alarms that follow them; per rate."""

    what: str
    dollars: tuple[float, ...]


def quiet(counted: Counted, idle: Counted) -> list[QuietMonth]:
    """Return the choices of a stage."""
    on_demand, provisioned = (
        FleetModel(counted, idle, target_of("prod", capacity=mode)) for mode in (ON_DEMAND, PROVISIONED)
    )
    places = len(steady_places())
    stuck = _of_hours(at_first(provisioned.target), provisioned)
    before = _of_hours(Throughput(BEFORE * places, BEFORE * places), provisioned)
    return [
        QuietMonth("on demand", tuple(_units(on_demand, rate) for rate in QUIET)),
        QuietMonth("provisioned, and it follows the load", tuple(_units(provisioned, rate) for rate in QUIET)),
        QuietMonth("… if nothing scales down what it begins with", (stuck,) * len(QUIET)),
        QuietMonth(f"… if that were {BEFORE:,} of both, as it was", (before,) * len(QUIET)),
    ]


def quiet_lines(counted: Counted, idle: Counted) -> Iterator[str]:
    """Yield the choices as a table."""
    yield f"{'capacity of steady tables, $ a month':<50}" + "".join(f"{f'{rate:g}/s':>12}" for rate in QUIET)
    for choice in quiet(counted, idle):
        yield f"  {choice.what:<48}" + "".join(f"{dollars:>12,.2f}" for dollars in choice.dollars)
    yield f"  warm throughput at a million machines, once: ${warming(2 * 1e6 / 300):,.2f}"


def warming(reports_per_second: float) -> float:
    """Return what it costs once that places take at once what a stage is made for."""
    asked = [warm(place, reports_per_second) for place in steady_places().values()]
    return sum(
        prices.WARM_WRITE.for_(one.writes - NEW.writes) + prices.WARM_READ.for_(one.reads - NEW.reads)
        for one in asked
        if one
    )


def _units(model: FleetModel, rate: float) -> float:
    """Return the dollars of a month's units; of no reports as of very few, for capacity is paid by the hour."""
    few = rate or 1e-9
    lines = [line.times(few * MONTH_S) for line in of_report(model, few) if line.part in {"reads", "writes"}]
    return sum(line.dollars for line in lines) + prices.ALARM.for_(alarms_of_scaling(model))


def _of_hours(units: Throughput, model: FleetModel) -> float:
    hourly = prices.WRITE_HOUR.for_(units.writes) + prices.READ_HOUR.for_(units.reads)
    return hourly * HOURS + prices.ALARM.for_(alarms_of_scaling(model))
