"""Entities of equipment, its reports and its audits."""

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
