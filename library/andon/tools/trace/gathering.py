"""Reads of a copy of the lake what belongs to one trace: lines that name its facts, pass after pass, a day at a time.

A lake may have millions of events a day, of which a trace has some dozens: a line is only parsed if it has the text of
an id, or of all fields that name a fact. Earlier days are read as far as causes lie there, later ones until `until`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from andon.events.written import Written
from andon.project import NamedBy
from andon.recorded import lake
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.tried import Failed, tried
from andon.tools.stack.errors import ToolFailed
from andon.tools.trace.facts import Forest, Node, TracedFact, TracedFacts, causes_of, subjects_in

_Needle = tuple[str, ...]
"""Texts that a line has all of."""

Place = tuple[str, int]
"""The name of an object, and the number of a line in it."""

Line = TypeVar("Line", str, bytes)

Sought = Callable[[TracedFacts], TracedFact | None]
"""The fact that is asked for, among those that were read."""


class SoughtFact(NamedTuple):
    """The fact that is asked for: lines that may be it, the fact among these, and its day, if that is known."""

    needle: _Needle
    sought: Sought
    day: str | None = None


class Trace(NamedTuple):
    """The tree of a fact, the days that were read for it, and how many lines of those were no facts."""

    tree: Node
    first: str
    last: str
    unreadable: int


class LakeFolder:
    """A folder with the lake's objects. unreadable: how many lines and objects that were read are no facts."""

    def __init__(self, folder: Path, *, until: str | None = None) -> None:
        days = sorted(lake.day_in(f"{lake.EVENTS}/{one.name}") for one in (folder / lake.EVENTS).glob(f"{lake.DAY}*"))
        self._folder = folder
        self.days = [day for day in days if until is None or day <= until]
        if not self.days:
            raise ToolFailed(f"{folder} has no events of the lake{f' until {until}' if until else ''}")

    def lines(self, days: Iterable[str]) -> Iterator[tuple[Place, str]]:
        """Return the lines of some days, with their places.

        Raises:
            Failed: an object is none of the lake's.

        """
        for file in self._files(days):
            for number, line in enumerate(_lines_in(file, lake.lines_of)):
                yield (file.name, number), line

    def raw_lines(self, days: Iterable[str]) -> Iterator[bytes]:
        """Return the lines of some days, undecoded.

        Raises:
            Failed: an object is none of the lake's.

        """
        for file in self._files(days):
            yield from _lines_in(file, lake.raw_lines_of)

    def _files(self, days: Iterable[str]) -> Iterator[Path]:
        for day in days:
            yield from sorted((self._folder / lake.folder_of(day)).rglob("*.ndjson.gz"))


def _lines_in(file: Path, lines_of: Callable[[bytes], Iterator[Line]]) -> Iterator[Line]:
    try:
        yield from lines_of(file.read_bytes())
    except (OSError, EOFError, ValueError) as error:
        raise ToolFailed(f"{file} is no object of the lake: {error}") from error


def gather(folder: LakeFolder, asked: SoughtFact, named_by: NamedBy) -> Trace:
    """Read the trace of a fact.

    Raises:
        Failed: the lake has no such fact in the days that were read.

    """
    start = _first(folder, asked)
    gathered = _Gathered(folder, named_by)
    members, tree = [start], None
    while gathered.read_what_is_new(members):
        forest = Forest(gathered.facts, named_by)
        tree = forest.tree(forest.root_of((start.source, start.id)))
        members = [*facts_of(tree)]
    if tree is None:
        raise ToolFailed("the lake changed while it was read; ask again")
    return Trace(tree, gathered.days[0], gathered.days[-1], gathered.facts.unreadable)


class _Gathered:
    """The facts that were read so far. days: those that were read. facts: from these days, all that had a needle."""

    def __init__(self, folder: LakeFolder, named_by: NamedBy) -> None:
        self._folder, self._named_by = folder, named_by
        self.facts, self.days = TracedFacts(), list[str]()
        self._sought, self._places = set[_Needle](), set[Place]()

    def read_what_is_new(self, members: Iterable[TracedFact]) -> bool:
        """Read the lines that name one of some facts, or a cause of them; return True if some were not read before."""
        found = [*members]
        needles = {needle for fact in found for needle in _needles_of(fact, self._named_by)}
        first = min([*map(_day_of, found), *_days_of_causes(found)])
        days = [day for day in self._folder.days if day >= first]
        if needles <= self._sought and len(days) <= len(self.days):
            return False
        if len(days) > len(self.days):  # an earlier day has to be looked through for all of them
            self.days, self._sought = days, set()
        for place, line in _read(self._folder, self.days, needles - self._sought):
            if place not in self._places:
                self._places.add(place)
                self.facts.add(line)
        self._sought |= needles
        return True


def facts_of(tree: Node) -> Iterator[TracedFact]:
    """Return the facts of a tree that are not missing."""
    if tree.fact is not None:
        yield tree.fact
    for child in tree.children:
        yield from facts_of(child)


def _first(folder: LakeFolder, asked: SoughtFact) -> TracedFact:
    """Return the fact that is asked for, the newest days first."""
    days = [day for day in folder.days if asked.day is None or day >= asked.day]
    for day in days if asked.day else reversed(days):
        found = TracedFacts(line for _, line in _read(folder, [day], {asked.needle}))
        if (fact := asked.sought(found)) is not None:
            return fact
    raise ToolFailed(f"the lake has no such fact from {min(days, default='nowhere')} to {folder.days[-1]}")


def _read(folder: LakeFolder, days: Iterable[str], needles: Iterable[_Needle]) -> Iterator[tuple[Place, str]]:
    """Return the lines with all texts of one of some needles."""
    wanted = [tuple(_forms(text) for text in needle) for needle in needles]
    if not wanted:
        return
    begins = re.compile("|".join(re.escape(form) for first, *_ in wanted for form in first))
    for place, line in folder.lines(days):
        if begins.search(line) and any(all(any(one in line for one in forms) for forms in needle) for needle in wanted):
            yield place, line


def _forms(text: str) -> tuple[str, ...]:
    """Return a text as JSON writes it: with other letters as they are, and escaped."""
    return tuple({json.dumps(text, ensure_ascii=plain)[1:-1] for plain in (True, False)})


def _needles_of(fact: TracedFact, named_by: NamedBy) -> set[_Needle]:
    subjects = (tuple(str(one) for one in values) for _, values in subjects_in(fact, named_by))
    return {(fact.id,), *((cause.id,) for cause in causes_of(fact.event)), *subjects}


def _day_of(fact: TracedFact) -> str:
    return times.date_of(fact.taken_ms)


def _days_of_causes(facts: Iterable[TracedFact]) -> Iterator[str]:
    """Return the days from which on causes may lie in the lake: a day earlier, for a clock may be wrong."""
    for fact in facts:
        for cause in causes_of(fact.event):
            if cause.timestamp_ms is not None:
                yield times.date_of(max(0, min(cause.timestamp_ms, fact.taken_ms) - DAY_MS))


# The fact that a text asks for, by an event's id, a token of `x-after`, or the fields that name it. Pure.

APART: Final = "/"


def asked_by(text: str, named_by: NamedBy) -> SoughtFact:
    """Return what a text asks for.

    Args:
        text: an id, a token, or as many values, with `/` between them, as the first of `named_by` has fields.
        named_by: see `Project`.

    """
    written = tried(Written.from_token, text)
    if not isinstance(written, Failed):
        return _by_token(written)
    name, fields = next(iter(named_by.items()), ("", ()))
    values = _parts(text, fields)
    if values:
        key = dict(zip(fields, values, strict=True))
        return SoughtFact(tuple(values), partial(TracedFacts.of_entity, name=name, key=key), _day_in(values))
    return SoughtFact((text,), partial(TracedFacts.named, id_=text))


def _by_token(written: Written) -> SoughtFact:
    texts = tuple(str(value) for value in written.names.values())
    needle = (written.event_id,) if written.event_id else (written.partition_key, *texts)
    return SoughtFact(needle, partial(TracedFacts.written, written=written), _before(written.timestamp_ms))


def _parts(text: str, fields: Sequence[str]) -> list[str]:
    """Return a value for each field; none if there are not so many."""
    parts = text.split(APART)
    return parts if 1 < len(fields) == len(parts) and all(parts) else []


def _day_in(values: Sequence[str]) -> str | None:
    found = (tried(times.to_ms, value) for value in values)
    return next((_before(one) for one in found if not isinstance(one, Failed)), None)


def _before(at_ms: int) -> str:
    """Return the day before a time: a clock may be ahead of the bus's."""
    return times.date_of(max(0, at_ms - DAY_MS))
