"""Entities of alerts about a machine as a whole, of troubles, and of requests for help."""

from typing import Final, Literal, TypedDict

from andon.runtime.marks import NotRequired
from contract.entities.logs import LogRef, Why

Urgency = Literal["low", "high"]

TICKS: Final = (*range(1, 7), 8, 10, 12, 15, *range(20, 65, 5), 75, 90, 105, 120, 150, 180, 210, 240)
"""Minutes after which somebody may be asked, beside at once: a rule looks at each."""


class AlertEntity(Why):
    """A rule's alert about a piece of equipment as a whole."""

    equipmentId: str
    since: str
    timestamp: str


class RiskEntity(AlertEntity):
    """`risk`: it is at risk; `reason`: a sentence."""

    reason: str


class SilenceEntity(AlertEntity):
    """`silence`: it reports nothing, or is back."""


class TroubleRef(LogRef):
    """The natural key of a trouble: a log, or a call as one.

    state: `SILENT` if the machine reports nothing, `timestamp` is then that of its last report. Of a call it is `call:`
    and the category, `timestamp` is when it was raised.
    """

    callId: NotRequired[str]


class TroubleEntity(TroubleRef, Why):
    """`trouble`: the subject of requests for help. `ticks`: the minutes after which to ask, beside at once.

    chains: those that begin with it.
    """

    name: str
    factoryId: str
    lineId: NotRequired[str]
    chains: list[str]
    ticks: list[int]


class TroubleEndEntity(Why):
    """`end`: a machine that somebody was asked about is back; all of its troubles are over that began before then."""

    equipmentId: str
    timestamp: str


class CallRef(TypedDict):
    """A call's id, and its equipment."""

    callId: str
    equipmentId: str


class AskedFor(Why):
    """A step of a chain, for the `repeat`th time, so many `minutes` after the trouble `since` (fixed-width UTC) began.

    about: the log, or the call. what: the state, or the category of the call.
    """

    about: LogRef | CallRef
    name: str
    factoryId: str
    lineId: NotRequired[str]
    what: str
    since: str
    chain: str
    step: int
    repeat: int
    minutes: int
    urgency: Urgency


class HelpEntity(AskedFor):
    """`help`: somebody is asked for help."""

    person: str


class NobodyEntity(AskedFor):
    """`nobody`: no one is on duty for the step; `asked`: the person asked instead, if there is anybody at all."""

    tell: str
    asked: NotRequired[str]
