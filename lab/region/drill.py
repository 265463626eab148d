"""One drill: writes, the cut, and the region that goes on from the copy. By its seed it is the same each time."""

import json
import random
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.events.group import unpacked
from andon.events.latch import LATCHED, ORIGIN
from andon.packages.discovery import recomputed, views
from andon.recorded import lake
from andon.runtime import clock
from andon.testing.drift import look
from andon.testing.loop import Loop
from andon.testing.world import to_text
from andon.tools.region.rows import bring_back
from lab.quiet_clock import Now, quiet_clock
from lab.region.lost import OWNED, Acknowledged, LostRegion, Row
from lab.region.times import RPO_MS
from lab.region.writes import Writers

STEPS: Final = (120, 260)
STEP_MS: Final = 25_000
GOES_ON_AFTER_MS: Final = 3_600_000

# Stored events and due times are no acknowledged writes: rules begin anew, see docs/region-lost.md.
OF_RULES: Final = frozenset({"event", "correlated", "due", "unreadable"})
NOT_COMPARED: Final = frozenset({LATCHED, "ttl", "hops"})

# Two edits that cross in one batch become one version, so that the numbers of what crossed are no promise.
NUMBERS: Final = frozenset({"version", "since"})

Key = tuple[str, ...]
"""Table, and the values of the primary key."""


class Cut(NamedTuple):
    """A loss of the region: the rows, and what of them is in no copy.

    rows: as they were. unsettled: the partitions of what has happened and is not in the copy.
    """

    at_ms: int
    acknowledged: Sequence[Acknowledged]
    lake: dict[str, bytes]
    rows: dict[Key, Item]
    unsettled: frozenset[str]

    def has_all_of(self, key: Key) -> bool:
        """Return True if all that has happened to a row is in the copy."""
        parts = {part for value in key[1:] for part in value.split("#")}
        return parts.isdisjoint(self.unsettled)


class Drill(NamedTuple):
    """The result of a drill. ages_ms: of the acknowledged writes that are missing, at the cut.

    compared: rows all of whose events are in the copy. wrong: those that are not what they were, or drifted.
    again: facts that were published a second time.
    """

    seed: int
    acknowledged: int
    ages_ms: list[int]
    compared: int
    wrong: list[Key]
    again: int

    @property
    def beyond(self) -> int:
        """Missing writes that are older than is promised."""
        return sum(age_ms > RPO_MS for age_ms in self.ages_ms)


def run(seed: int) -> Drill:
    """Write, cut, restore, compare."""
    dice = random.Random(seed)  # noqa: S311  no secret
    with quiet_clock() as now:
        cut = _lose(dice, now)
        now.ms = cut.at_ms + GOES_ON_AFTER_MS
        with Loop() as region:
            again = _restore(region, cut)
            found = _rows_of(region)
            drifts = [drift["key"] for view in recomputed() for drift in look(region, view)]
        ages_ms = [cut.at_ms - one.at_ms for one in cut.acknowledged if not _is_there(one, found)]
    compared = [key for key in sorted({*cut.rows, *found}) if cut.has_all_of(key)]
    wrong = [key for key in compared if cut.rows.get(key) != found.get(key)]
    wrong += [tuple(map(str, key.values())) for key in drifts]
    return Drill(seed, len(cut.acknowledged), ages_ms, len(compared), wrong, again)


def _lose(dice: random.Random, now: Now) -> Cut:
    """Let people and machines write, and cut the region off in the middle of it."""
    with LostRegion(dice) as region:
        writers = Writers(region, dice)
        for _ in range(dice.randint(*STEPS)):
            now.ms += dice.randrange(STEP_MS)
            writers.write()
            region.move()
        region.busy_after(dice.randrange(3))  # in the middle of a command
        now.ms += 1
        writers.write()
        copies = region.copied(now.ms)
        rows = _rows_of(region)
        unsettled = _happened_after(region, {copy.key for copy in copies})
        return Cut(now.ms, region.acknowledged, {one.key: one.body for one in copies}, rows, unsettled)


def _happened_after(region: LostRegion, copied: set[str]) -> frozenset[str]:
    """Return the partitions of the events that are not in the copy."""
    region.busy_after(None)
    region.acknowledged = [*region.acknowledged]
    known = {line for one in region.copies if one.key in copied for line in lake.lines_of(one.body)}
    waiting = region.drain()
    lost = [line for one in region.copies if one.key not in copied for line in lake.lines_of(one.body)]
    details = [json.loads(line)["detail"] for line in [*lost, *waiting] if line not in known]
    facts = [fact for detail in details for fact in unpacked(detail)]
    return frozenset(str(fact.get("partitionKey")) for fact in facts)


def _restore(region: Loop, cut: Cut) -> int:
    """Bring everything back as the runbook says; return the number of facts that were published again."""
    objects: list[Item] = [{"Key": key, "Body": to_text(body)} for key, body in cut.lake.items()]
    region.restore_objects(lake.BUCKET, objects)
    bring_back(now_ms=clock.now_ms())
    again = len(region.run())
    for view in views():
        region.request("POST /replays", body={"view": view.name})
    return again + len(region.run())


def _rows_of(region: Loop) -> dict[Key, Item]:
    """Return the compared attributes of all rows of services and views."""
    tables = {*OWNED, *(table for view in views() for table in view.tables)}
    return {
        _key_of(region.schemas, Row(table, row)): _compared(row)
        for table in tables
        for row in region.rows(table)
        if row.get("discriminator") not in OF_RULES and not (ORIGIN in row and "HISTORY" in table)
    }


def _key_of(schemas: Any, one: Row) -> Key:  # noqa: ANN401  the schemas of a loop
    return one.table, *(str(one.row[name]) for name in schemas[one.table].keys.names)


def _compared(row: Item) -> Item:
    left_out = NOT_COMPARED | NUMBERS if ORIGIN in row else NOT_COMPARED
    return {name: value for name, value in row.items() if name not in left_out}


def _is_there(one: Acknowledged, found: dict[Key, Item]) -> bool:
    schemas = Loop().schemas
    rows = all(_is_known(found.get(_key_of(schemas, row)), _compared(row.row)) for row in one.rows)
    return rows and all(("STATE_LOG_TABLE", *log_) in found for log_ in one.logs)


def _is_known(found: Item | None, written: Item) -> bool:
    """Return True if a row is as it was written, or a later version of it."""
    if found is None or found == written:
        return found is not None
    return "version" in written and found["timestamp"] > written["timestamp"]
