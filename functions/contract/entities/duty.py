"""Rosters and chains, and their entities."""

# ruff: noqa: PLC0415  what checks them is loaded when a request says some: see `andon.http.said`

from typing import Final, Literal, TypedDict

from andon.http.said import UNIQUE, Id, different, fits_row
from andon.runtime import times
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import Annotated, Bounds, NotRequired, Says, Takes, checked
from contract import names
from contract.entities.alerts import TICKS, Urgency
from contract.people import PERSON_PATTERN, Person, person_id

MAX_OPERATORS: Final = 100
MAX_IN_SHIFT: Final = 20
MAX_SHIFTS: Final = 50
MAX_OVERRIDES: Final = 200
MAX_WEEKS: Final = 12
MAX_LINES: Final = 50
MAX_CHAINS: Final = 20
MAX_STEPS: Final = 6
MAX_TIMES: Final = 6
MAX_BEGINNINGS: Final = 20
LAST_TICK: Final = TICKS[-1]


def _zone(name: str) -> str:
    from contract.zones import zone_of

    zone_of(name)
    return name


def _zone_schema() -> JsonObject:
    from contract.zones import ZONE_PATTERN

    return names.schema(ZONE_PATTERN)


def _told(text: str) -> str:
    from contract.chains import NO_PERSONS

    if text in NO_PERSONS:
        return text
    try:
        return person_id(text)
    except ValueError as error:
        raise ValueError(f"must be {', '.join(sorted(NO_PERSONS))} or the id of a person") from error


def _told_schema() -> JsonObject:
    from contract.chains import NO_PERSONS

    return names.schema(f"{PERSON_PATTERN}|^(?:{'|'.join(sorted(NO_PERSONS))})$")


Role = Literal["operator", "supervisor", "manager"]
WeekDay = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

Name = Annotated[str, Takes(names.level, names.schema(names.LEVEL_PATTERN)), Says(personal="no")]
Clock = Annotated[str, Takes(names.clock, names.schema(names.CLOCK_PATTERN))]
WallTime = Annotated[str, Takes(names.wall_time, names.schema(names.WALL_TIME_PATTERN))]
Zone = Annotated[str, Takes(_zone, _zone_schema), Says("America/Mexico_City", "no")]
Trouble = Annotated[str, Takes(names.trouble, names.schema(names.TROUBLE_PATTERN))]
Week = Annotated[int, Bounds(1, MAX_WEEKS)]
Lines = Annotated[
    list[Annotated[Id, Says(personal="no")]], Bounds(1, MAX_LINES), Takes(different, UNIQUE), Says(["line-3"])
]

ShiftEntity = TypedDict(
    "ShiftEntity",
    {
        "name": Annotated[Name, Says("night")],
        "days": Annotated[
            list[WeekDay], Bounds(1, 7), Takes(different, UNIQUE), Says(["mon", "tue", "wed", "thu", "fri"])
        ],
        "from": Annotated[Clock, Says("22:00")],
        "to": Annotated[Clock, Says("06:00")],
        "week": NotRequired[Week],
        "lines": NotRequired[Lines],
        "operators": Annotated[list[Person], Bounds(1, MAX_IN_SHIFT), Takes(different, UNIQUE), Says(["op-17"])],
        "supervisor": NotRequired[Annotated[Person, Says("sv-03")]],
    },
)
ShiftEntity.__doc__ = """A shift, by the clock on the wall: it begins on each of `days`, and may end on the next.

`week` is that of the roster's `weeks`; without one it is in each. With `lines` it is for these alone.
"""

OverrideEntity = TypedDict(
    "OverrideEntity",
    {
        "from": Annotated[WallTime, Says("2026-12-24T22:00")],
        "to": Annotated[WallTime, Says("2026-12-25T06:00")],
        "role": Annotated[Role, Says("operator")],
        "person": Annotated[Person, Says("op-18")],
    },
)
OverrideEntity.__doc__ = (
    "Somebody who takes over a role for a while, by the clock on the factory's wall; `to` is exclusive."
)


def _ends_later(said: OverrideEntity) -> None:
    if said["to"] <= said["from"]:
        raise ValueError("must end after it begins")


checked(_ends_later)(OverrideEntity)


def _says_once_who_is_there(said: JsonMapping) -> None:
    from contract import duty

    duty.require_consistent(said)


@checked(fits_row, _says_once_who_is_there)
class RosterEntity(TypedDict):
    """The people of a factory; abnormal logs are shared among the operators on duty, without shifts among all.

    `supervisor` is that of each shift that names none, and who is asked where nobody is on duty. `timezone` is the
    factory's, UTC without one. Week 1 of its `weeks` is that of the day `anchor`. It has at most 256 KB.
    """

    factoryId: str
    operators: Annotated[list[Person], Bounds(1, MAX_OPERATORS), Takes(different, UNIQUE), Says(["op-17", "op-18"])]
    supervisor: Annotated[Person, Says("sv-03")]
    manager: NotRequired[Annotated[Person, Says("mg-01")]]
    timezone: NotRequired[Zone]
    anchor: NotRequired[Annotated[str, Takes(times.date), Says("2026-11-23")]]
    weeks: NotRequired[Week]
    shifts: NotRequired[Annotated[list[ShiftEntity], Bounds(1, MAX_SHIFTS)]]
    overrides: NotRequired[Annotated[list[OverrideEntity], Bounds(1, MAX_OVERRIDES)]]


def _asks_at_ticks(said: JsonMapping) -> None:
    from contract import chains

    chains.require_ticks(said)


@checked(_asks_at_ticks)
class StepEntity(TypedDict):
    """Whom to ask `after` so many minutes, and then again each `every` minutes, so many `times`.

    0 is at once. Somebody can be asked after 1 to 6, 8, 10, 12, 15, 20 to 60 by 5, 75, 90, 105, 120, 150, 180, 210 and
    240 minutes. `tell` is `assigned`, `duty:operator`, `duty:supervisor`, `duty:manager`, or the id of a person.
    """

    after: Annotated[int, Bounds(0, LAST_TICK), Says(5)]
    tell: Annotated[str, Takes(_told, _told_schema), Says("duty:supervisor")]
    urgency: Annotated[Urgency, Says("high")]
    every: NotRequired[Annotated[int, Bounds(1, LAST_TICK), Says(15)]]
    times: NotRequired[Annotated[int, Bounds(1, MAX_TIMES), Says(3)]]


class ChainEntity(TypedDict):
    """The people to ask for help about some troubles, on some lines (without: all), in order.

    It begins `on` a state, the beginning of one (`WARNING*`), `SILENT`, or a call of a category (`call:material`).
    """

    id: Annotated[Name, Says("errors")]
    on: Annotated[list[Trouble], Bounds(1, MAX_BEGINNINGS), Takes(different, UNIQUE), Says(["ERROR", "SILENT"])]
    lines: NotRequired[Lines]
    steps: Annotated[list[StepEntity], Bounds(1, MAX_STEPS)]


def _have_ids_of_their_own(said: "ChainsEntity") -> None:
    different([one["id"] for one in said["chains"]])


@checked(fits_row, _have_ids_of_their_own)
class ChainsEntity(TypedDict):
    """The chains of a factory, together at most 256 KB."""

    factoryId: str
    chains: Annotated[list[ChainEntity], Bounds(most=MAX_CHAINS)]
