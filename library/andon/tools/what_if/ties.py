"""Misfits about events of one second, whose order the lake does not tell: from the records again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from andon.tools.what_if.comparing import CalibrationMisfit
from andon.tools.what_if.lake_record import SEPARATOR
from andon.tools.what_if.splitting import triggers_in
from andon.tools.what_if.telling import lines_about


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
