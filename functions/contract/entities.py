"""The entities of the domain events, on which services agree. Events from elsewhere are read tolerantly.

A member that does not apply is left out, never null. Times are fixed-width UTC, but for `TriggerRef.timestamp`.
"""

from typing import Literal, NotRequired, TypedDict


class LocationEntity(TypedDict):
    """The location of equipment, from the company down."""

    company: str
    country: str
    region: str
    state: str
    county: str
    city: str
    neighborhood: str


class PieceEntity(TypedDict):
    """A piece of equipment as of `version`, its location aside.

    `validFrom`: since when it has been so, if that was before it was recorded; else it is the event's time.
    `ownedSince`: since when it is this company's, if it was another one's before.
    """

    id: str
    version: int
    name: str
    factoryId: str
    lineId: str
    validFrom: NotRequired[str]
    deleted: NotRequired[Literal[True]]
    ownedSince: NotRequired[str]


class EquipmentEntity(PieceEntity):
    """`equipment`: a piece of equipment and where it stands."""

    location: LocationEntity


class LevelEntity(TypedDict):
    """A level of a location, and the name of the place on it."""

    level: str
    name: str


class MachineEntity(PieceEntity):
    """`machine`: a piece of equipment, with its location as levels, from the outside in."""

    levels: list[LevelEntity]


def piece_of(entity: PieceEntity) -> PieceEntity:
    """Return an entity without its location."""
    piece: PieceEntity = {
        "id": entity["id"],
        "version": entity["version"],
        "name": entity["name"],
        "factoryId": entity["factoryId"],
        "lineId": entity["lineId"],
    }
    if "validFrom" in entity:
        piece["validFrom"] = entity["validFrom"]
    if "deleted" in entity:
        piece["deleted"] = entity["deleted"]
    if "ownedSince" in entity:
        piece["ownedSince"] = entity["ownedSince"]
    return piece


class StateEntity(TypedDict):
    """`state`: a report of a piece of equipment."""

    equipmentId: str
    state: str
    timestamp: str
    detail: NotRequired[str]


class ConnectionEntity(TypedDict):
    """`connection`: of a piece of equipment to the broker; `reason`: why it was lost, in the broker's words."""

    equipmentId: str
    since: str
    reason: NotRequired[str]


class AuditEntity(TypedDict):
    """`audit`: the finding of an auditor."""

    equipmentId: str
    part: str
    revision: int
    result: str
    auditor: str
    notes: NotRequired[str]


class TriggerRef(TypedDict):
    """An event that a rule decided on; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class Why(TypedDict, total=False):
    """The reason of a rule's decision: which rule, and on which events."""

    by: Literal["rule"]
    rule: str
    triggers: list[TriggerRef]


class LogRef(TypedDict):
    """A log's natural key."""

    equipmentId: str
    state: str
    timestamp: str


class LogEntity(LogRef, Why):
    """An entity about a log; a rule's decision says why."""


class AssignmentEntity(LogEntity):
    """`assignment`: the operator of a log."""

    operator: str


class EscalationEntity(LogEntity):
    """`escalation`: the supervisor whom a log was escalated to."""

    supervisor: str


class CrewEntity(LogEntity):
    """`crew`: the people who deal with a log; `members` are the others beside the `lead`."""

    lead: str
    members: list[str]


class AcknowledgementEntity(LogRef):
    """`acknowledgement`: who was the first to see a log, a token's subject; `via`: or whom a link was signed for."""

    acknowledgedBy: str
    acknowledgedAt: str
    via: NotRequired[Literal["link"]]


class ExpectedEntity(TypedDict):
    """The usual of a machine: `typical`, and `atMost`, in the unit of the anomaly; from so many observations."""

    typical: float
    atMost: float
    basedOn: int


AnomalyKind = Literal["burst", "gap", "odd-state"]


class AnomalyEntity(LogEntity):
    """`anomaly`: the log with which a machine did what it does not do, by a version of the model.

    `burst`: too many reports of the state in the hour before. `gap`: too many seconds since the report before.
    `odd-state`: a state that the machine hardly ever reported. `seen` and `expected` are in `unit`.
    """

    kind: AnomalyKind
    unit: str
    expected: ExpectedEntity
    seen: float
    model: str


class PlacementEntity(TypedDict):
    """`placement`: the factory of a person, by their ids."""

    id: str
    factoryId: str


class PersonEntity(TypedDict):
    """`person`: somebody who was erased, and when. No event ever has a name."""

    id: str
    erasedAt: str


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


class MessageEntity(TypedDict):
    """`message`: a person may have to be told what they were asked in the slot that begins then (epoch milliseconds).

    kind: `now`, `later` or `overdue`; `over`: all that a message told is over, whose id this one's ends with;
    `code.<channel>` and `test.<channel>`: the person asked for it, at `slot`.
    """

    person: str
    id: str
    slot: int
    kind: str


class Telling(TypedDict):
    """A message to a person, about so many requests for help; `about`: their logs or calls, each once."""

    person: str
    message: str
    about: list[LogRef | CallRef]
    of: int


class ToldEntity(Telling):
    """`told`: a channel took the message. repeated: perhaps it did so before."""

    channel: str
    providerId: str
    repeated: NotRequired[Literal[True]]


class TellingEntity(Telling):
    """`telling`: a person was told of a piece of equipment; `about`: those of its logs and calls that are in it."""

    equipmentId: str
    channel: str


class FailedEntity(Telling):
    """`failure`: nobody is told by a channel; without one: by none that is left, or not in time."""

    channel: NotRequired[str]
    reason: str


OrderStatus = Literal["planned", "started", "finished"]
Result = Literal["done", "partly", "skipped"]


class PlannedBefore(TypedDict):
    """Factory and day that an order was planned for before."""

    factoryId: str
    plannedFor: str


class OrderEntity(TypedDict):
    """`order`: maintenance of a machine as of `version`; days are UTC. `date` is the day that it was first planned for.

    minutes: how long it is expected to take. readingsNumber: of what was measured at the end, in the log of its
    readings. before: of the version before.
    """

    equipmentId: str
    date: str
    kind: str
    version: int
    factoryId: str
    plannedFor: str
    minutes: NotRequired[int]
    status: OrderStatus
    startedAt: NotRequired[str]
    finishedAt: NotRequired[str]
    result: NotRequired[Result]
    readingsNumber: NotRequired[int]
    before: NotRequired[PlannedBefore]


class AttachmentEntity(TypedDict):
    """`attachment`: a photo or a document of an order, by the SHA-256 of its bytes; `bytes` is how many they are."""

    equipmentId: str
    date: str
    kind: str
    sha256: str
    contentType: str
    bytes: int


class InstructionsEntity(TypedDict):
    """`instructions`: what is to be done at a kind of maintenance of a machine, step by step."""

    equipmentId: str
    kind: str
    version: int
    steps: list[str]


class OpenOrder(TypedDict):
    """An order that is not finished; `startedAt` is there once it was started."""

    date: str
    kind: str
    plannedFor: str
    startedAt: NotRequired[str]


class UpkeepEntity(TypedDict):
    """`upkeep`: the orders of a machine that are under way, and the first of those that are planned, if there is any.

    timestamp: since when it is so.
    """

    equipmentId: str
    timestamp: str
    underWay: list[OpenOrder]
    next: NotRequired[OpenOrder]


ShiftEntity = TypedDict(
    "ShiftEntity",
    {
        "name": str,
        "days": list[str],
        "from": str,
        "to": str,
        "week": NotRequired[int],
        "lines": NotRequired[list[str]],
        "operators": list[str],
        "supervisor": NotRequired[str],
    },
)
"""A shift: `days` are those on which it begins, as `mon`; `from` and `to` are clock times, as `22:00`."""

OverrideEntity = TypedDict("OverrideEntity", {"from": str, "to": str, "role": str, "person": str})
"""Somebody who takes over a role from one clock time to another, as `2026-12-24T22:00`."""


class RosterEntity(TypedDict):
    """`roster`: who works in a factory, and when, by the clock on its wall; see `contract/duty.py`."""

    factoryId: str
    operators: list[str]
    supervisor: str
    manager: NotRequired[str]
    timezone: NotRequired[str]
    anchor: NotRequired[str]
    weeks: NotRequired[int]
    shifts: NotRequired[list[ShiftEntity]]
    overrides: NotRequired[list[OverrideEntity]]


class StepEntity(TypedDict):
    """A step of a chain; `after` and `every` are minutes, see `contract/chains.py`."""

    after: int
    tell: str
    urgency: Literal["low", "high"]
    every: NotRequired[int]
    times: NotRequired[int]


class ChainEntity(TypedDict):
    """A chain: what it begins on, its lines (none: all), whom it asks when."""

    id: str
    on: list[str]
    lines: NotRequired[list[str]]
    steps: list[StepEntity]


class ChainsEntity(TypedDict):
    """`chains`: all of a factory."""

    factoryId: str
    chains: list[ChainEntity]


class OverdueEntity(OpenOrder):
    """`overdue`: an order that was not finished on the day that it was planned for, at `timestamp`, the end of it."""

    equipmentId: str
    timestamp: str


CallStatus = Literal["raised", "taken", "closed", "rejected"]


class CallEntity(TypedDict):
    """`call`: a call for help at a piece of equipment as of `version`.

    factoryId, lineId: where it was raised. priority: 1 comes first. raisedBy, taker, endedBy: tokens' subjects. cause:
    of the catalog, of a call that is closed. reason: of one that is rejected.
    """

    id: str
    version: int
    equipmentId: str
    factoryId: str
    lineId: str
    category: str
    priority: int
    text: NotRequired[str]
    status: CallStatus
    raisedAt: str
    raisedBy: str
    taker: NotRequired[str]
    takenAt: NotRequired[str]
    endedAt: NotRequired[str]
    endedBy: NotRequired[str]
    cause: NotRequired[str]
    note: NotRequired[str]
    reason: NotRequired[str]


class CauseEntity(TypedDict):
    """`cause`: what the trouble was that began at `startedAt`, by a cause of the factory's catalog, as of `version`."""

    equipmentId: str
    startedAt: str
    version: int
    factoryId: str
    cause: str
    note: NotRequired[str]


class CategoryEntity(TypedDict):
    """A category of calls; `priority`: of its calls that say none. needsCause: they are closed with a cause only."""

    id: str
    name: str
    icon: str
    priority: int
    needsCause: bool


class CatalogCauseEntity(TypedDict):
    """A cause: of calls of these categories, and on these lines alone, if it says some."""

    id: str
    name: str
    categories: list[str]
    lines: NotRequired[list[str]]


class CatalogEntity(TypedDict):
    """`catalog`: what a factory calls for, and why there is trouble, as of `version`."""

    factoryId: str
    version: int
    categories: list[CategoryEntity]
    causes: list[CatalogCauseEntity]


class OpenCall(TypedDict):
    """A call that has not ended; `taker` is there once somebody took it. version: for If-Match."""

    id: str
    version: int
    category: str
    priority: int
    status: CallStatus
    raisedAt: str
    taker: NotRequired[str]
