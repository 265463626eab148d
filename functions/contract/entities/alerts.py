"""Entities of what is said of a machine as a whole, and of troubles."""

from andon.runtime.marks import NotRequired
from contract.entities.logs import LogRef, Why


class AlertEntity(Why):
    """What a rule says of a piece of equipment as a whole."""

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
    """`trouble`: what somebody is to be asked for help about. `ticks`: after which minutes, beside at once.

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
