"""Two lists of decisions -> what differs; decisions and what a lake says -> how well they agree."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.tools.what_if.comparing import REACHES_LAKE_MS, Calibrating, TreeComparison, changed_fields, is_alike
from andon.tools.what_if.report import Calibration, RowKey, RuleChange
from andon.tools.what_if.splitting import RecordedDecision
from andon.tools.what_if.tree import DecidedLine, Replayed

RULE = "things.late"
END_MS = 10**7
NOTHING: Replayed = {
    "mixed": [],
    "files": [],
    "facts": "",
    "pending": {},
    "late": {},
    "faults": {},
    "why": {},
    "cpu_s": 0,
    "peak_bytes": 0,
}

decisions = st.dictionaries(st.integers(0, 5), st.integers(0, 2))
"""The number of a row -> what it says."""


def lines(said: dict[int, int]) -> list[DecidedLine]:
    return [
        {
            "rule": RULE,
            "key": [["pk", f"Thing#{number}"]],
            "at": number * 100,
            "anchor": f"e{number}",
            "subject": f"{number}",
            "decided": number * 100,
            "row": {"said": value, "number": number},
        }
        for number, value in said.items()
    ]


def compared(before: dict[int, int], after: dict[int, int], *, since_ms: int = 0) -> RuleChange:
    comparison = TreeComparison([RULE], since_ms=since_ms)
    comparison.add(lines(before), lines(after))
    [change] = comparison.result({}, NOTHING, NOTHING)
    return change


def numbers(rows: object) -> set[int]:
    return {int(one.subject) for one in rows}  # type: ignore[attr-defined]


@given(before=decisions, after=decisions, since=st.integers(0, 6))
def test_each_decision_is_the_same_changed_added_or_removed(
    before: dict[int, int], after: dict[int, int], since: int
) -> None:
    change = compared(before, after, since_ms=since * 100)
    earlier, later = ({one for one in tree if one >= since} for tree in (before, after))
    both = earlier & later
    assert numbers(change.added) == later - earlier
    assert numbers(change.removed) == earlier - later
    assert numbers(one.after for one in change.changed) == {one for one in both if before[one] != after[one]}
    assert change.same == len([one for one in both if before[one] == after[one]])
    assert (change.before, change.after) == (len(earlier), len(later))
    assert all(one.fields == ("said",) for one in change.changed)


@given(before=decisions, after=decisions)
def test_what_one_way_adds_the_other_way_removes(before: dict[int, int], after: dict[int, int]) -> None:
    there, back = compared(before, after), compared(after, before)
    assert (there.added, there.removed, there.same) == (back.removed, back.added, back.same)
    assert [(one.before, one.after) for one in there.changed] == [(one.after, one.before) for one in back.changed]


def calibrated(code: dict[int, int], lake: dict[int, int], *, ends_ms: int = END_MS) -> Calibration:
    recorded: dict[tuple[str, RowKey], RecordedDecision] = {
        ("things", (("pk", f"Thing#{number}"),)): RecordedDecision(
            RULE, number * 100, number * 100, f"{number}", json.dumps({"said": value, "number": number}).encode()
        )
        for number, value in lake.items()
    }
    calibrating = Calibrating(recorded, since_ms=0, end_ms=END_MS, lake_ends_ms=ends_ms)
    calibrating.add(lines(code))
    calibrating.end([RULE])
    return calibrating.result({}).get(RULE, Calibration())


@given(code=decisions, lake=decisions)
def test_the_lake_agrees_in_the_part_of_all_decisions_that_are_equal(
    code: dict[int, int], lake: dict[int, int]
) -> None:
    found, equal = calibrated(code, lake), len(code.items() & lake.items())
    assert found[:5] == (
        len(lake),
        equal,
        len(lake.keys() - code),
        len(code.keys() - lake),
        len(code.keys() & lake) - equal,
    )
    every = len(code.keys() | lake)
    assert found.percent == pytest.approx(100 * equal / every if every else 100)


@pytest.mark.parametrize(("after_ms", "extra"), [(REACHES_LAKE_MS - 1, 0), (REACHES_LAKE_MS, 1)])
def test_what_was_decided_shortly_before_the_lake_ends_may_not_be_there_yet(after_ms: int, extra: int) -> None:
    assert calibrated({5: 1}, {}, ends_ms=500 + after_ms).extra == extra


def test_numbers_are_equal_as_numbers_and_members_that_came_and_went_differ() -> None:
    assert changed_fields({"a": 12, "b": 1, "c": 1}, {"a": 12.0, "b": 2, "d": None}) == ("b", "c", "d")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ({"at": "2026-01-01T00:00:00.000Z"}, {"at": "2026-01-01T00:00:05.000Z"}, True),
        ({"at": "2026-01-01T00:00:00.000Z"}, {"at": "2026-01-01T00:00:05.001Z"}, False),
        ({"at": 1_700_000_000_000}, {"at": 1_700_000_005_000}, True),
        ({"n": 1}, {"n": 2}, False),
        ({"triggers": [{"id": "a", "type": "x"}]}, {"triggers": [{"id": "b", "type": "x"}]}, True),
        ({"triggers": [{"id": "a", "type": "x"}]}, {"triggers": [{"id": "a", "type": "y"}]}, False),
        ({"people": [{"id": "a"}]}, {"people": [{"id": "b"}]}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
    ],
)
def test_rows_are_alike_but_for_seconds_and_ids_of_triggers(one: object, other: object, *, alike: bool) -> None:
    assert is_alike(one, other) is alike
