"""Bodies of equipment's requests, and its responses."""

from typing import Annotated, Final, NotRequired, TypedDict

from andon.http.derived import PageOf, Shown
from andon.http.said import SomeLines, Time, Word
from andon.runtime.marks import Bounds, Says, Takes
from contract import names
from contract.entities.reports import REPORTS_AT_ONCE, StateEntity
from contract.schemas import STATE

MAX_DETAIL_BYTES: Final = 4096


def _require_bytes(text: str) -> str:
    if len(text.encode()) > MAX_DETAIL_BYTES:
        raise ValueError(f"must be at most {MAX_DETAIL_BYTES} bytes")
    return text


# Marks of a `StateEntity` stand here: listeners of views load that, and would pay for them.
class StateBody(TypedDict):
    """The state that a device reports of itself."""

    state: Annotated[str, Takes(names.state, STATE), Says("WARNING1")]
    detail: NotRequired[
        Annotated[str, Takes(SomeLines(MAX_DETAIL_BYTES)), Takes(_require_bytes), Says(personal="possible")]
    ]


class ReportBody(StateBody):
    """One of many reports, which are published and not kept."""

    equipmentId: Annotated[Word, Says("press-7", "no")]
    timestamp: Time


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
