"""Bodies of equipment's requests, and its responses."""

from typing import Annotated, Final, TypedDict

from andon.http.derived import PageOf, Shown
from andon.runtime.marks import Bounds
from contract.entities.reports import StateEntity
from services.equipment.stream_first import REPORTS_AT_ONCE


class ReportBody(StateEntity):
    """One of many reports, which are published and not kept."""


Reports = Annotated[list[ReportBody], Bounds(1, REPORTS_AT_ONCE)]


class Accepted(TypedDict):
    """The ids of the events, and tokens for `?after=` of a view, both in the order of the reports."""

    ids: list[str]
    after: list[str]


ACCEPTED: Final = Shown(Accepted, "Accepted")
STATE_REPORT: Final = Shown(StateEntity, "StateReport", "A report of a state; `timestamp` is fixed-width UTC.")
STATE_REPORTS: Final = PageOf(
    STATE_REPORT, "StateReports", "A page of reports, newest first; a missing cursor is the end."
)
