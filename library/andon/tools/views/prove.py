"""`make prove`: compares all rows of a view's two versions, and shows each that differs for good.

Events go on meanwhile. A row that has seen other events than its counterpart is read again until both have seen the
same, or until nothing is on its way any more and it still lacks one. What says something else of the same events is
final at once; unless today's code of the version before would say the same: then it was written by earlier code, and
is counted.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.events.domain_event import DomainEvent
from andon.events.upcast import NONE, upcast
from andon.packages.package import Package
from andon.runtime import clock
from andon.stores.lake import queries
from andon.tools.called import as_called
from andon.tools.lake import engine, lake_copy
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.views.compare import Compared, DifferenceKind, Key, RowDifference, compare, event_id
from andon.tools.views.deployed import Deployed, deployed
from andon.tools.views.versions import ViewVersions, versions
from andon.views.view_update import ViewUpdate, event_order
from andon.views.view_updates import updates_in

# The events that two rows were made of, from a copy of the lake.

_LIVES: Final = frozenset({ttl.ATTRIBUTE, ttl.DATE})
"""Attributes of which no update says the value."""

FIND: Final = "SELECT source, detail FROM facts WHERE id IN ({})"


class PublishedEvent(NamedTuple):
    """An event of the lake, and who published it."""

    source: str
    event: DomainEvent

    def __str__(self) -> str:
        happened = datetime.fromtimestamp(self.event.timestamp_ms / 1000, UTC).isoformat(timespec="milliseconds")
        return f"{self.source} {self.event.type} of {happened.replace('+00:00', 'Z')}, id {self.event.id}"


def _ids_behind(difference: RowDifference) -> set[str]:
    """Return the ids of the newest events in both rows, of which those that only one has seen if there are some."""
    orders = difference.oplocks.values()
    unequal = [pair for pair in orders if pair[0] != pair[1]]
    return {event_id(order) for pair in unequal or orders for order in pair if order}


def facts(lake: Path, ids: Iterable[str]) -> dict[str, PublishedEvent]:
    """Return the events of these ids that are in a copy of the lake."""
    wanted = sorted(ids)
    if not wanted:
        return {}
    marks = ", ".join("'" + one.replace("'", "''") + "'" for one in wanted)
    question = queries.question(FIND.format(marks))
    table = engine.ask(engine.connect(lake), question, question.values({}))
    found = (
        PublishedEvent(str(source), DomainEvent.from_wire(json.loads(str(detail)))) for source, detail in table.rows
    )
    return {fact.event.id: fact for fact in found}


def behind(field: str, candidates: Iterable[PublishedEvent], versions: ViewVersions) -> list[PublishedEvent]:
    """Return the events from which either version takes a field; all of them if it is of none."""
    every = list(candidates)
    return [fact for fact in every if any(field in _fields(fact, version) for version in versions)] or every


def _is_outdated(difference: RowDifference, known: Mapping[str, PublishedEvent], view: Package) -> bool:
    """Return True if today's code of the version before makes of the events of its row what the next one has.

    Then the row was written by earlier code: a field has another name since, or is gone. known: events by their id.
    """
    if difference.kind is not DifferenceKind.DIFFERENT or difference.before is None:
        return False
    said: dict[str, object] = {}
    for name, (order, _) in difference.oplocks.items():
        update = _update_of(difference.key, name, str(order), known, view)
        if update is None:
            return False
        said |= {**update.key_fields, **update.fields}
    today = to_plain(to_typed({name: value for name, value in said.items() if value is not None}))
    return all(field.name not in _LIVES and field.after == today.get(field.name) for field in difference.fields)


def _update_of(
    key: Key, oplock: str, order: str, known: Mapping[str, PublishedEvent], view: Package
) -> ViewUpdate | None:
    """Return the update of a row's oplock, if today's code makes it of the event that the order names."""
    fact = known.get(event_id(order))
    for update in () if fact is None else _updates(fact, view):
        is_of_row = tuple(str(update.key[name]) for name in view.view.KEYS.names) == key
        if fact and is_of_row and update.oplock == oplock:
            return update if event_order(fact.event, update.about_ms, update.origin) == order else None
    return None


def _fields(fact: PublishedEvent, version: Package) -> Iterator[str]:
    for update in _updates(fact, version):
        yield from {**update.fields, **update.key_fields}


def _updates(fact: PublishedEvent, version: Package) -> Sequence[ViewUpdate]:
    """Return the updates that the code of a version makes of an event."""
    upcasters = getattr(version.view, "UPCASTERS", NONE)
    decide = getattr(version.view, "ON", {}).get((fact.source, fact.event.type))
    return () if decide is None else updates_in(decide(upcast(fact.event, upcasters, source=fact.source)))


PATIENCE_S: Final = 300
SHOWN: Final = 20  # rows; all are counted
WIDEST: Final = 100  # characters of a value


Seen = tuple[Key, Hashable]
"""A row, and the newest events that each version of it has seen."""

_KnownEvents = Callable[[Iterable[RowDifference]], Mapping[str, PublishedEvent]]


class Comparison(NamedTuple):
    """The numbers of compared rows, and the rows that differ for good.

    outdated: rows of the version before that earlier code wrote; today's makes of their events what the next one has.
    """

    before: int
    after: int
    differences: tuple[RowDifference, ...]
    outdated: int = 0


class Pace(NamedTuple):
    """The time without change after which a row is final with nothing on its way, and the longest wait."""

    settles_s: float
    patience_s: float = PATIENCE_S


def read(stack: Deployed, both: ViewVersions) -> Compared:
    """Compare the rows as they are now."""
    before, after = list(stack.rows(both.before)), list(stack.rows(both.after))
    view = both.before.view
    return compare(
        before,
        after,
        names=view.KEYS.names,
        as_before=both.next.as_before,
        expires=view.TTL_DAYS is not None,
        now_ms=clock.now_ms(),
    )


class Reading:
    """Reads all rows as they are now; those that earlier code of the version before wrote are counted, and left out."""

    def __init__(self, stack: Deployed, both: ViewVersions) -> None:
        self._stack, self._both, self._outdated = stack, both, set[Seen]()

    def __call__(self) -> Compared:
        """Read them once."""
        known = partial(_facts, self._stack)
        return without_outdated(read(self._stack, self._both), self._outdated, known, self._both.before)


def without_outdated(compared: Compared, outdated: set[Seen], known: _KnownEvents, view: Package) -> Compared:
    """Leave out rows that earlier code of a view wrote; outdated: those that were found before, and now.

    known: reads the events of rows that differ.
    """
    new = [one for one in compared.differences if one.kind is DifferenceKind.DIFFERENT and _seen(one) not in outdated]
    events = known(new) if new else {}
    outdated |= {_seen(one) for one in new if _is_outdated(one, events, view)}
    left = tuple(one for one in compared.differences if _seen(one) not in outdated)
    return compared._replace(differences=left, outdated=len(compared.differences) - len(left))


def settle(reading: Callable[[], Compared], is_idle: Callable[[], bool], pace: Pace) -> Comparison:
    """Read until nothing differs, or something for good.

    Raises:
        Failed: rows kept changing.

    """
    since: dict[Seen, float] = {}  # since when a row differs so while nothing is on its way
    until = time.monotonic() + pace.patience_s
    while True:
        compared = reading()
        now = time.monotonic()
        settled = {one for one, first in since.items() if now - first >= pace.settles_s}
        final = [one for one in compared.differences if one.kind is DifferenceKind.DIFFERENT or _seen(one) in settled]
        if final or not compared.differences:
            return Comparison(compared.before, compared.after, tuple(final), compared.outdated)
        if now > until:
            raise ToolFailed(f"{len(compared.differences)} rows still change; try again when less is on its way")
        since = {_seen(one): since.get(_seen(one), now) for one in compared.differences} if is_idle() else {}
        time.sleep(min(1, pace.settles_s / 4))


def prove(stack: Deployed, both: ViewVersions) -> Comparison:
    """Compare both versions until it is settled how they differ.

    Raises:
        Failed: one is not deployed, or rows kept changing.

    """
    stack.table(both.after)
    with step(f"comparing {both.before.name} and {both.after.name}"):
        idle = partial(stack.is_idle, both.before, both.after)
        return settle(Reading(stack, both), idle, Pace(stack.settles_s))


def show(stack: Deployed, both: ViewVersions, proof: Comparison) -> str:
    """Return the differences, field by field, with the events behind them."""
    names = f"{both.before.name} and {both.after.name}"
    outdated = f"; {proof.outdated} were written by earlier code of {both.before.name}" if proof.outdated else ""
    if not proof.differences:
        return f"{proof.before} rows of {both.before.name}, {proof.after} of {both.after.name}: 0 differ{outdated}"
    known = _facts(stack, proof.differences[:SHOWN])
    lines = [f"{len(proof.differences)} of {max(proof.before, proof.after)} rows differ between {names}{outdated}:"]
    for difference in proof.differences[:SHOWN]:
        lines += ["", *_lines(difference, both, known)]
    if len(proof.differences) > SHOWN:
        lines += ["", f"and {len(proof.differences) - SHOWN} more"]
    if not proof.after:
        lines += ["", f"{both.after.name} has no rows: {as_called('fill', VIEW=both.before.name)}"]
    return "\n".join(lines)


def _seen(difference: RowDifference) -> Seen:
    return difference.key, tuple(difference.oplocks.items())


def _facts(stack: Deployed, differences: Iterable[RowDifference]) -> dict[str, PublishedEvent]:
    try:
        folder = lake_copy.copy(stack.lake)
    except ToolFailed as reason:
        print(f"  without the events: {reason}", file=sys.stderr)
        return {}
    return facts(folder, set().union(*map(_ids_behind, differences)))


def _lines(difference: RowDifference, both: ViewVersions, known: dict[str, PublishedEvent]) -> list[str]:
    names = both.before.view.KEYS.names
    key = ", ".join(f"{name} = {value}" for name, value in zip(names, difference.key, strict=True))
    ids = sorted(_ids_behind(difference))
    candidates = [known[one] for one in ids if one in known]
    lines = [f"{key}: {_why(difference, both)}"]
    if difference.before is None or difference.after is None:
        return [*lines, *(f"    {fact}" for fact in candidates), *_unknown(ids, known)]
    for field in difference.fields:
        lines += [
            f"    {field.name}",
            f"        {both.before.name}: {_text(field.before)}",
            f"        {both.after.name}: {_text(field.after)}",
        ]
        lines += [f"        from {fact}" for fact in behind(field.name, candidates, both)]
    return [*lines, *_unknown(ids, known)]


def _unknown(ids: list[str], known: dict[str, PublishedEvent]) -> list[str]:
    return [f"    event {one} is not in the lake yet" for one in ids if one not in known]


def _why(difference: RowDifference, both: ViewVersions) -> str:
    before, after = both.before.name, both.after.name
    if difference.before is None or difference.after is None:
        return f"only {before if difference.after is None else after} has it"
    match difference.kind:
        case DifferenceKind.BEHIND:
            return f"{after} lacks events that {before} has seen"
        case DifferenceKind.AHEAD:
            return f"{before} lacks events that {after} has seen"
        case DifferenceKind.DIFFERENT:
            return "both have seen the same events"


def _text(value: object) -> str:
    text = "(nothing)" if value is None else repr(value)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("prove"), description=__doc__)
    parser.add_argument("view")
    parser.add_argument("--stack", help="the name of a stack on AWS (default: the one on this machine)")
    options = parser.parse_args()
    try:
        both, stack = versions(options.view), deployed(options.stack)
        proof = prove(stack, both)
        print(show(stack, both, proof))
    except ToolFailed as reason:
        print(f"{as_called('prove')}: {reason}", file=sys.stderr)
        return 2
    return int(bool(proof.differences))


if __name__ == "__main__":
    sys.exit(main())
