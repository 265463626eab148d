"""People on duty: a factory's roster, and its part that is there at a time. Pure.

Shifts are pure wall-clock time in the factory's zone: what the clock on the wall shows says who is on duty, also in the
nights in which it jumps. So each moment has one clock time, and each clock time one shift. Nothing here is a duration.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self

from andon.runtime.json_types import JsonMapping
from contract.zones import UTC_NAME, wall_time

OPERATOR: Final = "operator"
SUPERVISOR: Final = "supervisor"
MANAGER: Final = "manager"
ROLES: Final = (OPERATOR, SUPERVISOR, MANAGER)

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_MINUTES: Final = 24 * 60
WEEK_MINUTES: Final = 7 * DAY_MINUTES
MAX_PEOPLE: Final = 100
"""Different people on a roster with shifts or overrides: a decision looks all of them up."""

FIRST_ANCHOR: Final = "1970-01-05"
"""The day that weeks are counted from if a roster says none: a Monday, as the first day of each week is."""


class Shift(NamedTuple):
    """A shift: on `days` (0 is Monday) it begins at a minute of the day and ends so many minutes of clock time later.

    week: of the roster's weeks, from 1; None: each. lines: the only ones it is for; none: all that no other shift of
    the time is for. supervisor: None: the roster's.
    """

    name: str
    days: frozenset[int]
    begins: int
    minutes: int
    week: int | None
    lines: frozenset[str]
    operators: tuple[str, ...]
    supervisor: str | None

    @classmethod
    def of(cls, shift: Mapping[str, Any]) -> Self:
        """Return a shift of a row, or of an event."""
        begins, ends = minute_of(shift["from"]), minute_of(shift["to"])
        return cls(
            name=shift["name"],
            days=frozenset(map(DAYS.index, shift["days"])),
            begins=begins,
            minutes=(ends - begins) % DAY_MINUTES or DAY_MINUTES,
            week=shift.get("week"),
            lines=frozenset(shift.get("lines", ())),
            operators=tuple(shift["operators"]),
            supervisor=shift.get("supervisor"),
        )

    def times(self, weeks: int) -> list[tuple[int, int]]:
        """Return its times as minutes of a cycle of so many weeks, from and to; one may end behind the cycle."""
        of_weeks = range(weeks) if self.week is None else [self.week - 1]
        begin = [week * WEEK_MINUTES + day * DAY_MINUTES + self.begins for week in of_weeks for day in self.days]
        return [(minute, minute + self.minutes) for minute in begin]

    def is_at(self, minute: int, weeks: int) -> bool:
        """Return True if it is its time, at a minute of a cycle."""
        days, since = divmod(minute - self.begins, DAY_MINUTES)  # of its last begin: it is never longer than a day
        week, day = divmod(days % (7 * weeks), 7)
        return since < self.minutes and day in self.days and (self.week is None or (self.week - 1) % weeks == week)


class Override(NamedTuple):
    """A person's takeover of a role from a clock time, as `2026-12-24T22:00`, to another one, which is exclusive."""

    begin: str
    end: str
    role: str
    person: str

    @classmethod
    def of(cls, override: Mapping[str, Any]) -> Self:
        """Return an override of a row, or of an event."""
        return cls(override["from"], override["to"], override["role"], override["person"])


class Roster(NamedTuple):
    """The operators of a factory, of whom one is chosen for each machine, its supervisor, its manager, and its shifts.

    Without shifts all of them are always there. anchor: a day of the first of its `weeks`.
    """

    operators: tuple[str, ...]
    supervisor: str | None
    manager: str | None = None
    timezone: str = UTC_NAME
    anchor: str = FIRST_ANCHOR
    weeks: int = 1
    shifts: tuple[Shift, ...] = ()
    overrides: tuple[Override, ...] = ()

    @classmethod
    def of(cls, roster: Mapping[str, Any]) -> Self:
        """Return the roster of a row, or of an event."""
        return cls(
            operators=tuple(roster["operators"]),
            supervisor=roster["supervisor"],
            manager=roster.get("manager"),
            timezone=roster.get("timezone", UTC_NAME),
            anchor=roster.get("anchor", FIRST_ANCHOR),
            weeks=int(roster.get("weeks", 1)),
            shifts=tuple(map(Shift.of, roster.get("shifts", ()))),
            overrides=tuple(map(Override.of, roster.get("overrides", ()))),
        )

    @property
    def is_by_time(self) -> bool:
        """True if other people may be on duty at another time."""
        return bool(self.shifts or self.overrides)

    @property
    def people(self) -> tuple[str, ...]:
        """All whom it names, each once."""
        of_shifts = (person for shift in self.shifts for person in (*shift.operators, shift.supervisor))
        of_overrides = (override.person for override in self.overrides)
        named = (*self.operators, self.supervisor, self.manager, *of_shifts, *of_overrides)
        return tuple(dict.fromkeys(person for person in named if person is not None))

    def operator_for(self, equipment_id: str) -> str | None:
        """Return the operator of a piece of equipment: the same each time, and another one only if that one leaves.

        None: nobody is left.

        Rendezvous hashing: https://www.eecs.umich.edu/techreports/cse/96/CSE-TR-316-96.pdf
        """
        return max(self.operators, key=lambda operator: (_weight(equipment_id, operator), operator), default=None)

    def without(self, gone: Collection[str]) -> Self:
        """Return the roster without some people."""
        shifts = (
            shift._replace(operators=_left(shift.operators, gone), supervisor=_there(shift.supervisor, gone))
            for shift in self.shifts
        )
        return self._replace(
            operators=_left(self.operators, gone),
            supervisor=_there(self.supervisor, gone),
            manager=_there(self.manager, gone),
            shifts=tuple(shifts),
            overrides=tuple(override for override in self.overrides if override.person not in gone),
        )

    def at(self, at_ms: int, line_id: str | None = None) -> Self:
        """Return the people on duty at a time, for a line; outside of shifts, no operator and no supervisor."""
        if not self.is_by_time:
            return self
        now = wall_time(at_ms, self.timezone)
        on_duty = self._by_shift(now, line_id)._replace(shifts=(), overrides=())
        by_role = {override.role: override.person for override in self.overrides if _is_within(now, override)}
        return on_duty._replace(
            operators=(by_role[OPERATOR],) if OPERATOR in by_role else on_duty.operators,
            supervisor=by_role.get(SUPERVISOR, on_duty.supervisor),
            manager=by_role.get(MANAGER, on_duty.manager),
        )

    def _by_shift(self, now: datetime, line_id: str | None) -> Self:
        if not self.shifts:
            return self
        shift = self.shift_at(now, line_id)
        if shift is None:
            return self._replace(operators=(), supervisor=None)
        return self._replace(operators=shift.operators, supervisor=shift.supervisor or self.supervisor)

    def shift_at(self, now: datetime, line_id: str | None = None) -> Shift | None:
        """Return the shift of a clock time: one for the line, else the one for all lines; None: there is a gap."""
        minute = self._minute_of_cycle(now)
        there = [shift for shift in self.shifts if shift.is_at(minute, self.weeks)]
        for_line = [shift for shift in there if line_id in shift.lines]
        return next(iter(for_line or (shift for shift in there if not shift.lines)), None)

    def _minute_of_cycle(self, now: datetime) -> int:
        anchor = date.fromisoformat(self.anchor)
        days = now.date().toordinal() - (anchor.toordinal() - anchor.weekday())
        return days % (7 * self.weeks) * DAY_MINUTES + now.hour * 60 + now.minute


def minute_of(time: str) -> int:
    """Return the minute of the day of a clock time, as `22:30`."""
    return int(time[:2]) * 60 + int(time[3:])


def overlapping_shifts(shifts: Sequence[Shift], weeks: int) -> tuple[str, str] | None:
    """Return the names of two shifts that would be on duty for one line at one time; None: there are none."""
    lines = {line for shift in shifts for line in shift.lines}
    for line in (None, *sorted(lines)):
        here = [shift for shift in shifts if (line in shift.lines if line else not shift.lines)]
        if found := _overlap([(*times, shift.name) for shift in here for times in shift.times(weeks)], weeks):
            return found
    return None


def _overlap(times: Iterable[tuple[int, int, str]], weeks: int) -> tuple[str, str] | None:
    """Return the names of two times of a cycle that overlap; the cycle begins again behind its end."""
    in_order = sorted(times)
    if not in_order:
        return None
    first_begin, first_end, first = in_order[0]
    cycle = weeks * WEEK_MINUTES
    again = (first_begin + cycle, first_end + cycle, first)
    for (_, end, name), (begin, _, other) in zip(in_order, [*in_order[1:], again], strict=True):
        if begin < end:
            return name, other
    return None


def role_overridden_twice(overrides: Sequence[Override]) -> str | None:
    """Return a role that two would take over at one time; None: there is none."""
    for role in ROLES:
        in_order = sorted(override for override in overrides if override.role == role)
        if any(later.begin < earlier.end for earlier, later in pairwise(in_order)):
            return role
    return None


def require_consistent(said: JsonMapping) -> None:
    """Check a roster as a whole.

    Raises:
        ValueError: it does not say once, and once only, who is there when.

    """
    roster = Roster.of(said)
    shifts, weeks = roster.shifts, roster.weeks
    _refuse(weeks > 1 and "anchor" not in said, "must have an anchor, a day of the first of its weeks")
    _refuse(any((shift.week or 1) > weeks for shift in shifts), "must have no shift in a week that it has not")
    _refuse(len({shift.name for shift in shifts}) < len(shifts), "must name each shift once")
    twins = overlapping_shifts(shifts, weeks)
    _refuse(twins is not None, f"must not have two shifts for one line at one time: {' and '.join(twins or ())}")
    role = role_overridden_twice(roster.overrides)
    _refuse(role is not None, f"must not have two overrides of one role at one time: {role}")
    is_too_long = roster.is_by_time and len(roster.people) > MAX_PEOPLE
    _refuse(is_too_long, f"must name at most {MAX_PEOPLE} different people, if it has shifts or overrides")


def _refuse(is_wrong: bool, why: str) -> None:  # noqa: FBT001  a sentence: refuse this, why
    if is_wrong:
        raise ValueError(why)


def _is_within(now: datetime, override: Override) -> bool:
    return override.begin <= now.strftime("%Y-%m-%dT%H:%M") < override.end


def _left(people: Iterable[str], gone: Collection[str]) -> tuple[str, ...]:
    return tuple(person for person in people if person not in gone)


def _there(person: str | None, gone: Collection[str]) -> str | None:
    return None if person in gone else person


def _weight(equipment_id: str, operator: str) -> bytes:
    from hashlib import sha256  # noqa: PLC0415  it loads OpenSSL, and at most events nobody is chosen

    return sha256(f"{len(equipment_id)} {equipment_id} {operator}".encode()).digest()
