"""Dollars of a month of a deployed stack, without devices and people."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.simulate.idle import idle
from lab.simulate.kept import kept
from lab.simulate.line import Line, total
from lab.simulate.model import FleetModel
from lab.simulate.money import of_report
from lab.simulate.recording import recording
from lab.simulate.settings import MONTH_S


@dataclass(frozen=True, slots=True)
class Month:
    """Dollars a month: of reports and their recording, of what is kept, and of what there is however few report."""

    reports: float
    recording: float
    kept: float
    idle: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.reports + self.recording + self.kept + self.idle


def of_a_month(model: FleetModel, rate: float) -> Month:
    """Return the price of a month at so many reports a second, once as much expires as comes; the lake after a year."""
    return Month(*(total(part(model, rate)) for part in (reports, recording, kept, idle)))


def reports(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month's reports."""
    yield from (line.times(rate * MONTH_S) for line in of_report(model, rate))
