"""The events around a difference, from the records again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from andon.events.domain_event import MAX_TIMESTAMP_MS, DomainEvent
from andon.rules.rule import WHY
from andon.runtime import times
from andon.runtime.clock import HOUR_MS
from andon.tools.what_if.comparing import FIRST_TIME_MS, CalibrationMisfit
from andon.tools.what_if.lake_record import SEPARATOR, LakeRecord, record_in
from andon.tools.what_if.report import ChangedRow, DecidedRow, RowKey, RuleChange, ToldEpisode
from andon.tools.what_if.splitting import RecordedDecision, triggers_in
from andon.versions.optimistic_lock import VersionedRow

_MOST_EPISODES: Final = 10
MOST_LINES: Final = 12
_AROUND_MS: Final = 2 * HOUR_MS
_MOST_SAID: Final = 3

PLAIN: Final = (str, int, float)
DISCRIMINATOR: Final = "discriminator"
VERSION: Final = frozenset({"version", "changedBy"})

Records = Mapping[str, Sequence[LakeRecord]]
"""By subject, in order."""


def differences(rules: Iterable[RuleChange]) -> Iterator[tuple[DecidedRow, str]]:
    """Yield what differs, each with a line that says how; of each rule some, so that none takes all the room."""
    for rule in rules:
        lost = ((one, "only before") for one in rule.removed)
        new = ((one, "only after") for one in rule.added)
        other = ((one.after, f"changed: {change_text(one)}") for one in rule.changed)
        yield from _in_turns(lost, new, other)


def _in_turns(*some: Iterator[tuple[DecidedRow, str]]) -> Iterator[tuple[DecidedRow, str]]:
    waiting = [*some]
    while waiting:
        for one in [*waiting]:
            found = next(one, None)
            if found is None:
                waiting.remove(one)
            else:
                yield found


def chosen(rules: Sequence[RuleChange]) -> list[tuple[DecidedRow, str]]:
    """Return at most ten differences, of different subjects where there are so many, and of all rules in turn."""
    found: dict[str, tuple[DecidedRow, str]] = {}
    for one, how in _in_turns(*(differences([rule]) for rule in rules)):
        if len(found) == _MOST_EPISODES:
            break
        found.setdefault(one.subject, (one, how))
    return [*found.values()]


def records_about(subjects: Iterable[str], files: Iterable[str]) -> Records:
    """Read the records of some subjects, each once."""
    found: dict[str, set[LakeRecord]] = defaultdict(set)
    for record in map(record_in, lines_about({subject.encode() for subject in subjects}, files)):
        found[record.subject].add(record)
    return {subject: sorted(records) for subject, records in found.items()}


def lines_about(subjects: set[bytes], files: Iterable[str]) -> Iterator[bytes]:
    """Yield the lines of records of some subjects."""
    for file in files if subjects else ():
        with Path(file).open("rb") as lines:
            yield from (line for line in lines if line.split(SEPARATOR, 3)[2] in subjects)


def told(
    picked: Iterable[tuple[DecidedRow, str]],
    records: Records,
    decisions: Mapping[tuple[str, RowKey], RecordedDecision],
) -> list[ToldEpisode]:
    """Return the stories of differences: the events around each, and what the lake says that rules decided."""
    recorded = defaultdict[str, list[RecordedDecision]](list)
    for decision in decisions.values():
        recorded[decision.subject].append(decision)
    return [
        ToldEpisode(one.subject, one.rule, one.at_ms, _lines(one, how, records, recorded[one.subject]))
        for one, how in picked
    ]


def _lines(one: DecidedRow, how: str, records: Records, recorded: Iterable[RecordedDecision]) -> tuple[str, ...]:
    events = [record.delivery.event for record in records.get(one.subject, ())]
    near = [event for event in events if abs(event.timestamp_ms - one.at_ms) <= _AROUND_MS]
    near = sorted(sorted(near, key=lambda event: abs(event.timestamp_ms - one.at_ms))[:MOST_LINES])
    told_events = [(event.timestamp_ms, 0, text_of(event)) for event in near]
    by_rules = [
        (decision.taken_ms, 1, f"{decision.rule} decided, by the lake")
        for decision in recorded
        if abs(decision.taken_ms - one.at_ms) <= _AROUND_MS
    ]
    here = [(one.at_ms, 2, f"{one.rule} decides, {how}: {decision_text(one)}")]
    return tuple(f"{times.to_utc(at_ms)}  {text}" for at_ms, _, text in sorted(chain(told_events, by_rules, here)))


def text_of(event: DomainEvent) -> str:
    """Return an event in a few words: its type, and what it says first beside its subject, its time and a rule."""
    said = {
        name: value
        for entity in event.entities.values()
        if isinstance(entity, dict)
        for name, value in entity.items()
        if name not in WHY and value not in (event.partition_key, times.to_utc(event.timestamp_ms))
    }
    return f"{event.type} {_said(said)}".rstrip()


def decision_text(one: DecidedRow) -> str:
    """Return a decision in a few words: what its row says beside its subject, and beside what rows of its kind have."""
    of_each = {*WHY, DISCRIMINATOR, *(VersionedRow.__annotations__ if one.row.keys() >= VERSION else ())}
    said = {name: value for name, value in one.row.items() if name not in of_each and value != one.subject}
    return _said(said)


def change_text(one: ChangedRow) -> str:
    """Return the members that differ, texts and numbers with what they were and are."""
    nothing = "nothing"
    pairs = ((name, one.before.row.get(name, nothing), one.after.row.get(name, nothing)) for name in one.fields)
    return ", ".join(
        f"{name} {_text(old)} → {_text(new)}" if isinstance(old, PLAIN) and isinstance(new, PLAIN) else name
        for name, old, new in pairs
    )


def _said(row: Mapping[str, object]) -> str:
    """Return the first texts and numbers, each once; epoch milliseconds as times."""
    plain: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, PLAIN):
            plain.setdefault(_text(value), name)
    return " ".join([f"{name}={text}" for text, name in plain.items()][:_MOST_SAID])


def _text(value: float | str) -> str:
    if isinstance(value, int) and FIRST_TIME_MS <= value <= MAX_TIMESTAMP_MS:
        return times.to_utc(value)
    return str(value)


# Misfits about events of one second, whose order the lake does not tell: from the records again.


class RecordPlace(NamedTuple):
    """A record of a subject: its time, the second in which the bus took it, and the hash of its line."""

    subject: bytes
    timestamp_ms: int
    second: int
    record: int


def ties_in(misfits: Sequence[CalibrationMisfit], files: Sequence[str]) -> Counter[str]:
    """Return by rule how many misfits name an event that the bus took in one second with another of its subject.

    The files are read twice, so that no more than the records of those seconds is held.
    """
    named = {(one.subject.encode(), at_ms) for one in misfits for at_ms in (one.at_ms, *triggers_in(one.row))}
    seconds: dict[tuple[bytes, int], set[int]] = defaultdict(set)
    for place in _places_in(files, {subject for subject, _ in named}):
        if (place.subject, place.timestamp_ms) in named:
            seconds[place.subject, place.timestamp_ms].add(place.second)
    wanted = {(subject, second) for (subject, _), found in seconds.items() for second in found}
    taken: dict[tuple[bytes, int], set[int]] = defaultdict(set)
    for place in _places_in(files, {subject for subject, _ in wanted}):
        if (place.subject, place.second) in wanted:
            taken[place.subject, place.second].add(place.record)
    ties = Counter[str]()
    for one in misfits:
        subject = one.subject.encode()
        mine = {second for at_ms in (one.at_ms, *triggers_in(one.row)) for second in seconds.get((subject, at_ms), ())}
        ties[one.rule] += any(len(taken[subject, second]) > 1 for second in mine)
    return +ties


def _places_in(files: Iterable[str], subjects: set[bytes]) -> Iterator[RecordPlace]:
    for line in lines_about(subjects, files):
        taken, timestamp, subject, _ = line.split(SEPARATOR, 3)
        yield RecordPlace(subject, int(timestamp), int(taken) // 1000, hash(line))
