"""Cost of asking for help by chains, in addition to that of the report or the call; counted.

Dollars of a million: what `dispatch` reads and writes, and the events of it that the bus takes. Calls of Lambda, and
what subscribers keep of these events, are not in them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.testing.loop import Loop
from andon.testing.memory.meter import Used
from andon.testing.samples import body_of, sample
from lab.entry_loop import EntryLoop
from lab.prices import BUS_ENTRY, READ_UNIT, WRITE_UNIT
from lab.quiet_clock import START_MS, Now, quiet_clock

PRESS: Final = "press-7"
FACTORY: Final = {"factoryId": "gdl-1"}
ROSTER: Final = {"operators": ["op-17", "op-18"], "supervisor": "sv-03"}
TABLE: Final = "DISPATCH_TABLE"
SWEEPS: Final = 8
"""Each a minute behind the other."""

Minutes = Sequence[int]
Begin = Callable[[Loop], Any]


def dollars() -> dict[str, float]:
    """Return the dollars of a million, by what is done."""
    found = {}
    for what, begin in (("trouble", _report), ("call", _call)):
        none, one, five = (_spent(begin, minutes) for minutes in ((), (0,), (0, 1, 2, 3, 4)))
        found[f"a {what} about which one is asked at once"] = one - none
        found[f"each minute after a {what} at which another one is asked"] = (five - one) / 4
    return found


def _report(loop: Loop) -> None:
    path = {"id": PRESS, "timestamp": times.to_utc(START_MS)}
    loop.request("PUT /equipment/{id}/states/{timestamp}", path=path, body={"state": "ERROR"})


def _call(loop: Loop) -> None:
    path = {"id": "00000000-0000-4000-8000-000000000001"}
    loop.request("PUT /calls/{id}", path=path, body={"equipmentId": PRESS, "category": "material"})


def _spent(begin: Begin, minutes: Minutes) -> float:
    """Return the dollars of a million beginnings, with a chain that asks after some minutes."""
    with quiet_clock() as now, EntryLoop() as loop:
        loop.listen([body_of(DomainEvent.from_wire(sample("domain", "equipment-created")))])
        loop.request("PUT /factories/{factoryId}/roster", path=FACTORY, body=ROSTER)
        if minutes:
            body = {"chains": [_chain(minutes)]}
            loop.request("PUT /factories/{factoryId}/chains", path=FACTORY, body=body)
        loop.run()
        used = loop.meter.used = Used()
        loop.entries.clear()
        begin(loop)
        loop.run()
        for number in range(SWEEPS):
            _sweep(loop, now, number)
    writes = sum(units for (place, _), units in used.writes.items() if place.table == TABLE)
    reads = sum(units for place, units in used.read_units.items() if place.table == TABLE)
    units = writes * WRITE_UNIT.dollars + reads * READ_UNIT.dollars
    return units + loop.entries["dispatch"] * BUS_ENTRY.dollars


def _sweep(loop: Loop, now: Now, _: int) -> Sequence[dict[str, Any]]:
    now.ms += MINUTE_MS
    return loop.sweep()


def _chain(minutes: Minutes) -> dict[str, Any]:
    steps = [{"after": one, "tell": "duty:operator", "urgency": "high"} for one in minutes]
    return {"id": "all", "on": ["ERROR", "call:material"], "steps": steps}


def report() -> str:
    """Write the figures as the table of docs/duty.md."""
    lines = ["| a million times | dollars |", "|---|---:|"]
    return "\n".join([*lines, *(f"| {what} | ${spent:,.2f} |" for what, spent in dollars().items())])
