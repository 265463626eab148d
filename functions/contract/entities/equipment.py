"""A piece of equipment as both versions of its service declare it, and its entities."""

from typing import TypedDict

from andon.http.said import Id, Line, Part, Word
from andon.runtime.marks import Annotated, Bounds, Gained, Named, ResourceEntity, Says, Takes
from contract import levels, names

Place = Annotated[Part, Says("Guadalajara", "no")]


class LocationEntity(TypedDict):
    """Where equipment stands, from the company down."""

    company: Annotated[Part, Says("Acme", "no")]
    country: Annotated[Part, Says("MX", "no")]
    region: Annotated[Part, Says("West", "no")]
    state: Annotated[Part, Says("JAL", "no")]
    county: Place
    city: Place
    neighborhood: Annotated[Part, Says("Centro", "no")]


class Piece(TypedDict):
    """A piece of equipment, its location aside."""

    name: Annotated[Line, Says("Hydraulic press 7", "no")]
    factoryId: Annotated[Word, Says("gdl-1", "no"), Gained(None)]
    lineId: Annotated[Id, Says("line-3", "no"), Gained(None)]


class Equipment(Piece):
    """A piece of equipment and its location."""

    location: Annotated[LocationEntity, Named("Location")]


class EquipmentEntity(Equipment, ResourceEntity):
    """`equipment`: a piece of equipment and where it stands.

    `validFrom`: since when it has been so, if that was before it was recorded; else it is the event's time.
    `ownedSince`: since when it is this company's, if it was another one's before.
    """


class LevelEntity(TypedDict):
    """A level of a location, and the name of the place on it."""

    level: Annotated[str, Takes(names.level, names.schema(names.LEVEL_PATTERN)), Says("country", "no")]
    name: Annotated[Part, Takes(levels.place), Says("MX", "no")]


class Machine(Piece):
    """A piece of equipment and the levels of its location."""

    levels: Annotated[
        list[Annotated[LevelEntity, Named("Level")]],
        Bounds(1, levels.MAX_LEVELS),
        Takes(levels.location),
        Says(
            [{"level": "company", "name": "Acme"}, {"level": "hall", "name": "3"}],
            description="From the outside in. "
            "A company is needed; each other level may be left out, and others be added.",
        ),
    ]


class MachineEntity(Machine, ResourceEntity):
    """`machine`: a piece of equipment, with its location as levels, from the outside in."""


class PieceEntity(Piece, ResourceEntity):
    """The members that both versions of equipment have; see `andon.runtime.json_types.members_of`."""
