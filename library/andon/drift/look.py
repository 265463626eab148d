"""The rows of a partition beside those that events make: drifts, and doubts for a second look. Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from andon.drift.compare import DOUBTFUL, Basis, Difference, DriftKind, RowDrift, compare
from andon.drift.expected import ExpectedRow, Key, key_of
from andon.dynamodb.attribute_values import Item
from andon.events.domain_event import DomainEvent
from andon.events.drift import Repair, drift_of
from andon.events.identifiers import of_content

DIGITS = 32


class Look(NamedTuple):
    """The findings. doubts: the digests of differences that count if they are there a second time."""

    drifts: list[RowDrift]
    doubts: list[str]


def look_at(
    rows: Iterable[Item],
    expected: Mapping[Key, ExpectedRow],
    basis: Basis,
    *,
    key_names: tuple[str, ...],
    doubted: frozenset[str],
) -> Look:
    """Compare the rows of a partition with those expected in it. doubted: the doubts of the look before."""
    found = {key_of({name: row[name] for name in key_names}): row for row in rows}
    look = Look([], [])
    for key in sorted({*expected, *found}):
        drift = compare(expected.get(key) or ExpectedRow(dict(key)), found.get(key), basis)
        if drift is None:
            continue
        doubts = {one: _doubt(drift, one) for one in range(len(drift.differences))}
        new = {number for number, doubt in doubts.items() if doubt and doubt not in doubted}
        look.doubts.extend(doubt for number, doubt in doubts.items() if doubt and number in new)
        if certain := drift.only(one for number, one in enumerate(drift.differences) if number not in new):
            look.drifts.append(certain)
    return look


def event_of(drift: RowDrift, *, view: str, now_ms: int) -> DomainEvent:
    """Return the event that reports a drift."""
    return drift_of(
        view,
        drift.key,
        kinds=sorted({one.kind.value for one in drift.differences}),
        found=_of_all(drift, "found"),
        expected=_of_all(drift, "expected"),
        repair=_repair_of({one.kind for one in drift.differences}),
        now_ms=now_ms,
    )


def _doubt(drift: RowDrift, number: int) -> str | None:
    """Return the digest of a doubtful difference, the same as long as nobody writes anything; None of a certain one."""
    one: Difference = drift.differences[number]
    if one.kind not in DOUBTFUL:
        return None
    return of_content([dict(drift.key), one.kind, one.oplock, dict(one.found), dict(one.expected)], digits=DIGITS)


def _of_all(drift: RowDrift, side: str) -> Item:
    return {name: value for one in drift.differences for name, value in getattr(one, side).items()}


def _repair_of(kinds: set[DriftKind]) -> Repair:
    if kinds & {DriftKind.AHEAD, DriftKind.TTL}:
        return "compare-and-set"
    return "oplock" if kinds & {DriftKind.VALUES, DriftKind.MISSING} else "none"
