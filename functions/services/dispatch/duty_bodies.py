"""Bodies of requests and responses about who is on duty, and whom to ask for help."""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator
from pydantic.config import JsonDict

from andon.http import schemas as common
from andon.http.fields import Id
from andon.http.models import RequestModel, ResponseModel, RowModel
from andon.http.openapi import Absent
from andon.http.schemas import IMPERSONAL
from andon.runtime import times
from contract import names, people, schemas
from contract.chains import NO_PERSONS, TICKS, Step
from contract.duty import Override, Roster, Shift, overlapping_shifts, role_overridden_twice
from contract.fields import Person
from contract.zones import zone_of

MAX_OPERATORS: Final = 100
MAX_IN_SHIFT: Final = 20
MAX_SHIFTS: Final = 50
MAX_OVERRIDES: Final = 200
MAX_WEEKS: Final = 12
MAX_LINES: Final = 50
MAX_CHAINS: Final = 20
MAX_STEPS: Final = 6
MAX_TIMES: Final = 6
MAX_PEOPLE: Final = 100
"""Different people on a roster with shifts or overrides: a decision looks all of them up."""

LAST_TICK: Final = TICKS[-1]


def _different(values: list[str]) -> list[str]:
    if len(set(values)) < len(values):
        raise ValueError("must name each of them once")
    return values


def _zone(name: str) -> str:
    zone_of(name)
    return name


def _told(text: str) -> str:
    if text in NO_PERSONS:
        return text
    try:
        return people.person_id(text)
    except ValueError as error:
        raise ValueError(f"must be {', '.join(sorted(NO_PERSONS))} or the id of a person") from error


UNIQUE: Final[JsonDict] = {"uniqueItems": True}

Name = Annotated[str, AfterValidator(names.level), WithJsonSchema(schemas.LEVEL | IMPERSONAL)]
Clock = Annotated[str, AfterValidator(names.clock), WithJsonSchema(schemas.CLOCK)]
WallTime = Annotated[str, AfterValidator(names.wall_time), WithJsonSchema(schemas.WALL_TIME)]
Zone = Annotated[str, AfterValidator(_zone), WithJsonSchema(schemas.ZONE | IMPERSONAL)]
Day = Annotated[str, AfterValidator(times.date), WithJsonSchema(common.DATE)]
Trouble = Annotated[str, AfterValidator(names.trouble), WithJsonSchema(schemas.TROUBLE)]
Told = Annotated[str, AfterValidator(_told), WithJsonSchema(schemas.TOLD)]
LineId = Annotated[Id, WithJsonSchema(common.IDENTIFIER | IMPERSONAL)]
WeekDay = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Role = Literal["operator", "supervisor", "manager"]
Urgency = Literal["low", "high"]

# The length before the validator, or it would be looked at after each of them.
Lines = Annotated[list[LineId], Field(min_length=1, max_length=MAX_LINES), AfterValidator(_different)]
Operators = Annotated[list[Person], Field(min_length=1, max_length=MAX_OPERATORS), AfterValidator(_different)]
InShift = Annotated[list[Person], Field(min_length=1, max_length=MAX_IN_SHIFT), AfterValidator(_different)]
WeekDays = Annotated[list[WeekDay], Field(min_length=1, max_length=7), AfterValidator(_different)]


class ShiftBody(RequestModel):
    """A shift, by the clock on the factory's wall: it begins on each of `days`, and ends the next day if need be.

    `week` is that of the roster's `weeks`; without one it is in each. With `lines` it is for these alone.
    """

    name: Name = Field(examples=["night"])
    days: WeekDays = Field(examples=[["mon", "tue", "wed", "thu", "fri"]], json_schema_extra=UNIQUE)
    from_: Clock = Field(alias="from", examples=["22:00"])
    to: Clock = Field(examples=["06:00"])
    week: int | None = Field(default=None, ge=1, le=MAX_WEEKS)
    lines: Lines | None = Field(default=None, examples=[["line-3"]], json_schema_extra=UNIQUE)
    operators: InShift = Field(examples=[["op-17"]], json_schema_extra=UNIQUE)
    supervisor: Person | None = Field(default=None, examples=["sv-03"])


class OverrideBody(RequestModel):
    """Somebody who takes over a role for a while, by the clock on the factory's wall; `to` is exclusive."""

    from_: WallTime = Field(alias="from", examples=["2026-12-24T22:00"])
    to: WallTime = Field(examples=["2026-12-25T06:00"])
    role: Role = Field(examples=["operator"])
    person: Person = Field(examples=["op-18"])

    @model_validator(mode="after")
    def _ends_later(self) -> Self:
        if self.to <= self.from_:
            raise ValueError("must end after it begins")
        return self


class RosterBody(RowModel):
    """Who works in a factory; abnormal logs are shared among the operators who are on duty, without shifts among all.

    `supervisor` is that of each shift that names none, and who is asked where nobody is on duty. `timezone` is the
    factory's, UTC without one. Week 1 of its `weeks` is that of the day `anchor`. It has at most 256 KB.
    """

    operators: Operators = Field(examples=[["op-17", "op-18"]], json_schema_extra=UNIQUE)
    supervisor: Person = Field(examples=["sv-03"])
    manager: Person | None = Field(default=None, examples=["mg-01"])
    timezone: Zone | None = Field(default=None, examples=["America/Mexico_City"])
    anchor: Day | None = Field(default=None, examples=["2026-11-23"])
    weeks: int | None = Field(default=None, ge=1, le=MAX_WEEKS)
    shifts: list[ShiftBody] | None = Field(default=None, min_length=1, max_length=MAX_SHIFTS)
    overrides: list[OverrideBody] | None = Field(default=None, min_length=1, max_length=MAX_OVERRIDES)

    @model_validator(mode="after")
    def _says_once_who_is_there(self) -> Self:
        weeks = self.weeks or 1
        shifts = [Shift.of(shift.model_dump(by_alias=True, exclude_none=True)) for shift in self.shifts or ()]
        _refuse(weeks > 1 and self.anchor is None, "must have an anchor, a day of the first of its weeks")
        _refuse(any((shift.week or 1) > weeks for shift in shifts), "must have no shift in a week that it has not")
        _refuse(len({shift.name for shift in shifts}) < len(shifts), "must name each shift once")
        twins = overlapping_shifts(shifts, weeks)
        _refuse(twins is not None, f"must not have two shifts for one line at one time: {' and '.join(twins or ())}")
        overrides = [Override.of(one.model_dump(by_alias=True)) for one in self.overrides or ()]
        role = role_overridden_twice(overrides)
        _refuse(role is not None, f"must not have two overrides of one role at one time: {role}")
        is_too_long = bool(shifts or overrides) and len(self.people) > MAX_PEOPLE
        _refuse(is_too_long, f"must name at most {MAX_PEOPLE} different people, if it has shifts or overrides")
        return self

    @property
    def people(self) -> set[str]:
        """All whom it names."""
        shifts = tuple(Shift.of(shift.model_dump(by_alias=True, exclude_none=True)) for shift in self.shifts or ())
        roster = Roster(tuple(self.operators), self.supervisor, self.manager, shifts=shifts)
        return {*roster.people, *(override.person for override in self.overrides or ())}

    @property
    def content(self) -> dict[str, object]:
        """Its members, but for those that it does not have."""
        return self.model_dump(by_alias=True, exclude_none=True)


class StepBody(RequestModel):
    """Whom to ask `after` so many minutes, and then again each `every` minutes, so many `times`.

    0 is at once. Somebody can be asked after 1 to 6, 8, 10, 12, 15, 20 to 60 by 5, 75, 90, 105, 120, 150, 180, 210 and
    240 minutes. `tell` is `assigned`, `duty:operator`, `duty:supervisor`, `duty:manager`, or the id of a person.
    """

    after: int = Field(ge=0, le=LAST_TICK, examples=[5])
    tell: Told = Field(examples=["duty:supervisor"])
    urgency: Urgency = Field(examples=["high"])
    every: int | None = Field(default=None, ge=1, le=LAST_TICK, examples=[15])
    times: int | None = Field(default=None, ge=1, le=MAX_TIMES, examples=[3])

    @model_validator(mode="after")
    def _asks_at_ticks(self) -> Self:
        _refuse((self.every is None) != (self.times is None), "must have both every and times, or none of them")
        step = Step(self.after, self.tell, self.urgency, self.every or 0, self.times or 0)
        wrong = sorted({*step.minutes} - {0, *TICKS})
        _refuse(bool(wrong), f"must ask nobody after {', '.join(map(str, wrong))} minutes: nothing is due then")
        return self


class ChainBody(RequestModel):
    """Whom to ask for help about what, on which lines (without: all), in which order.

    It begins `on` a state, the beginning of one (`WARNING*`), `SILENT`, or a call of a category (`call:material`).
    """

    id: Name = Field(examples=["errors"])
    on: Annotated[list[Trouble], Field(min_length=1, max_length=20), AfterValidator(_different)] = Field(
        examples=[["ERROR", "SILENT"]], json_schema_extra=UNIQUE
    )
    lines: Lines | None = Field(default=None, examples=[["line-3"]], json_schema_extra=UNIQUE)
    steps: list[StepBody] = Field(min_length=1, max_length=MAX_STEPS)


class ChainsBody(RowModel):
    """The chains of a factory, together at most 256 KB."""

    chains: list[ChainBody] = Field(max_length=MAX_CHAINS)

    @model_validator(mode="after")
    def _have_ids_of_their_own(self) -> Self:
        _different([one.id for one in self.chains])
        return self

    @property
    def people(self) -> set[str]:
        """All whom their steps name by an id."""
        return {step.tell for one in self.chains for step in one.steps} - NO_PERSONS

    @property
    def content(self) -> list[object]:
        """The chains, each without members that it does not have."""
        return [one.model_dump(exclude_none=True) for one in self.chains]


class ShiftResponse(ResponseModel):
    """A shift."""

    name: str
    days: list[str]
    from_: str = Field(alias="from")
    to: str
    week: int | Absent = None
    lines: list[str] | Absent = None
    operators: list[str]
    supervisor: str | Absent = None


class OverrideResponse(ResponseModel):
    """Somebody who takes over a role for a while."""

    from_: str = Field(alias="from")
    to: str
    role: str
    person: str


class RosterResponse(ResponseModel):
    """A factory's roster; a member that was not set is missing."""

    factoryId: str  # noqa: N815  the contract's name
    operators: list[str]
    supervisor: str
    manager: str | Absent = None
    timezone: str | Absent = None
    anchor: str | Absent = None
    weeks: int | Absent = None
    shifts: list[ShiftResponse] | Absent = None
    overrides: list[OverrideResponse] | Absent = None


class StepResponse(ResponseModel):
    """A step of a chain."""

    after: int
    tell: str
    urgency: str
    every: int | Absent = None
    times: int | Absent = None


class ChainResponse(ResponseModel):
    """A chain."""

    id: str
    on: list[str]
    lines: list[str] | Absent = None
    steps: list[StepResponse]


class ChainsResponse(ResponseModel):
    """A factory's chains."""

    factoryId: str  # noqa: N815
    chains: list[ChainResponse]


def _refuse(is_wrong: bool, why: str) -> None:  # noqa: FBT001  a sentence: refuse this, why
    if is_wrong:
        raise ValueError(why)
