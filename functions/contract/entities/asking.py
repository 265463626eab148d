"""Entities of asking for help."""

from typing import Literal, NotRequired, TypedDict

from contract.entities.logs import LogRef, Why


class CallRef(TypedDict):
    """A call's id, and what it is for."""

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
    urgency: Literal["low", "high"]


class HelpEntity(AskedFor):
    """`help`: somebody is asked for help."""

    person: str


class NobodyEntity(AskedFor):
    """`nobody`: nobody is on duty whom the step tells; `asked`: who is asked instead, if there is anybody at all."""

    tell: str
    asked: NotRequired[str]
