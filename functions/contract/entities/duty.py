"""Entities of duty: rosters and chains."""

from typing import Literal, NotRequired, TypedDict

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
