"""Decisions of a lake that its rules decide otherwise, because its events of one second have no order.

A chain begins at that report of an episode which arrived first: of two within a second the lake does not say which it
was. What is asked later, and told, follows from that.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from lab.what_if.chained import TROUBLE_WINDOW_MS, arrival_of, slot_of
from lab.what_if.decided import Decisions
from lab.what_if.facts import SECOND_MS, Facts, Key
from lab.what_if.plain_times import ms_of

REACHES_LAKE_MS: Final = 5 * 60_000
"""Decisions so shortly before the end may not be in the lake."""
OF_LOG: Final = ("decision#trouble-opened#", "decision#help-requested#", "decision#nobody-found#")
HELP: Final = OF_LOG[1]


class Strays(NamedTuple):
    """Rows that the lake alone has, and that the model alone has, by rule; and those that no tie explains."""

    missing: Mapping[str, int]
    extra: Mapping[str, int]
    unexplained: list[Key]


def strays_in(facts: Facts, decided: Decisions, rules: Iterable[str], slot_ms: int) -> Strays:
    """Compare what a lake says was decided by some rules with what the model decides."""
    known, reaches_ms = frozenset(rules), facts.end_ms - REACHES_LAKE_MS
    missing = [key for key, row in facts.recorded_rows.items() if row["rule"] in known and key not in decided]
    extra = [key for key, one in decided.items() if key not in facts.recorded and one.decided_ms <= reaches_ms]
    tied, strays = _tied(facts), {*missing, *extra}
    asked = {_slot(facts, decided, key, slot_ms) for key in strays if key[1].startswith(HELP)}
    unexplained = [key for key in strays if not _is_near(key, tied) and _person_and_slot(key) not in asked]
    return Strays(
        Counter(facts.recorded_rows[key]["rule"] for key in missing),
        Counter(decided[key].rule for key in extra),
        sorted(unexplained),
    )


def _tied(facts: Facts) -> Mapping[str, Sequence[int]]:
    """Return the times of the reports of each machine that reported again within the same second of the bus."""
    found = defaultdict[str, list[int]](list)
    for machine, reports in facts.reports.items():
        seconds = Counter(report.arrived_ms // SECOND_MS for report in reports)
        found[machine] = [report.at_ms for report in reports if seconds[report.arrived_ms // SECOND_MS] > 1]
    return found


def _is_near(key: Key, tied: Mapping[str, Sequence[int]]) -> bool:
    """Return True if a trouble is a report of one second with another one, or if there were some just before it."""
    if not key[1].startswith(OF_LOG):
        return False
    time = key[1].split("#", 2)[2].partition(" ")[0]
    at_ms = ms_of(time)
    return any(0 <= at_ms - one <= TROUBLE_WINDOW_MS for one in tied.get(key[0].partition("#")[2], ()))


def _person_and_slot(key: Key) -> tuple[str, int] | None:
    person, _, slot = key[0].partition("#")[2], *key[1].rpartition("#")[1:]
    return (person, int(slot.partition(".")[0])) if key[1].startswith("decision#message#") else None


def _slot(facts: Facts, decided: Decisions, key: Key, slot_ms: int) -> tuple[str, int]:
    """Return the person who is asked by a row, and the slot in which that arrived."""
    person = str(decided[key].row["person"] if key in decided else facts.recorded_rows[key]["person"])
    arrived_ms = arrival_of(decided[key], facts) if key in decided else facts.recorded[key]
    return person, slot_of(person, arrived_ms, slot_ms)
