"""Lakes that the real loop made, decided anew: by the same rules, and by rules with another constant."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.testing.what_if import asked
from andon.tools.what_if.__main__ import lines_of
from andon.tools.what_if.report import DecidedRow, RuleChange, WhatIf
from tests.tools.what_if.asking import SOONER, SOONER_MS, git
from tests.tools.what_if.lived import MINUTES, in_objects

SILENT = "dispatch.silent"
HOLD_BACK_MS = 30_000


class Report(NamedTuple):
    """The report of a machine: when it was so, and when the bus took it (epoch milliseconds)."""

    machine: str
    at_ms: int
    taken_ms: int


def rule(report: WhatIf, name: str) -> RuleChange:
    return next(one for one in report.rules if one.rule == name)


def reports_in(lines: Iterable[str]) -> list[Report]:
    details = [(envelope["detail"], envelope["time"]) for line in lines if (envelope := json.loads(line))]
    return [
        Report(one["partitionKey"], one["timestamp"], max(times.to_ms(taken), one["timestamp"]))
        for one, taken in details
        if one["type"] == "state-reported"
    ]


def silences(lines: list[str], after_ms: int, *, until_ms: int | None = None) -> set[tuple[str, int]]:
    """The machines, and since when, that reported nothing for a time, as it was known when that was over."""
    reports, last_ms = reports_in(lines), max(times.to_ms(json.loads(line)["time"]) for line in lines)
    end_ms = last_ms if until_ms is None else until_ms
    return {
        (one.machine, one.at_ms)
        for one in reports
        if (known_ms := max(one.at_ms + after_ms + HOLD_BACK_MS, one.taken_ms)) <= end_ms
        and not any(
            other.machine == one.machine
            and one.at_ms < other.at_ms <= one.at_ms + after_ms
            and other.taken_ms <= known_ms
            for other in reports
        )
    }


def places(rows: Iterable[DecidedRow]) -> list[tuple[str, int]]:
    return sorted((one.subject, one.at_ms) for one in rows)


def files_in(root: Path) -> dict[str, tuple[bytes, int]]:
    """All files but git's own, and what git says is staged: with when each was written."""
    files = [one for one in root.rglob("*") if one.is_file() and ".git" not in one.parts] + [root / ".git" / "index"]
    return {str(file.relative_to(root)): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def test_the_same_rules_decide_what_the_lake_says_and_differ_in_nothing(lake: Path, root: Path) -> None:
    report = asked(lake, root)
    decided = [one for one in report.rules if one.before]
    assert len(decided) >= 4, "several rules decide"
    assert all(one.is_same and one.before == one.after == one.same for one in report.rules)
    assert report.calibration.lake >= 50
    assert report.calibration.percent == 100
    assert (report.episodes, report.lake.unreadable) == ([], 0)


def test_a_sooner_silence_is_what_a_plain_count_of_the_reports_says(sooner: WhatIf, lines: list[str]) -> None:
    change, before, after = rule(sooner, SILENT), silences(lines, 30 * MINUTE_MS), silences(lines, SOONER_MS)
    assert after - before
    assert places(change.added) == sorted(after - before)
    assert places(change.removed) == sorted(before - after)
    assert places(one.after for one in change.changed) == sorted(after & before), "each has another time"
    assert (change.before, change.after, change.same) == (len(before), len(after), 0)
    assert sooner.calibration.percent == 100, "the code before the change decided the lake"
    assert {SILENT} < {one.rule for one in sooner.rules if not one.is_same}, "what follows from it differs, too"


def test_reports_that_came_too_late_for_a_rule_are_as_many_as_a_plain_count_says(
    sooner: WhatIf, lines: list[str]
) -> None:
    reports = reports_in(lines)
    late = [
        one
        for one in reports
        for newer in [[other.taken_ms for other in reports if other.machine == one.machine and other.at_ms > one.at_ms]]
        if newer and min(newer) + HOLD_BACK_MS < one.taken_ms
    ]

    assert late
    assert rule(sooner, SILENT).late == (len(late), len(late))
    assert f"  came too late for it: {len(late)} before, {len(late)} after" in lines_of(sooner)


def test_rules_that_know_what_no_event_says_are_left_to_the_lake_and_named(sooner: WhatIf) -> None:
    left = {f"anomalies.{one}" for one in ("burst", "gap", "odd-state")}
    left |= {"dispatch.ended", "dispatch.ended-0", "dispatch.ended-1"}
    left |= {"notify.over", "notify.over-1000", "notify.undelivered"}
    assert left.isdisjoint(one.rule for one in sooner.rules)
    said = f"{', '.join(sorted(left))} decided what the lake says: they know what no event does"
    assert said in sooner.assumptions


def test_a_lake_in_groups_is_decided_as_one_that_is_a_group(sooner: WhatIf, lake: Path, root: Path) -> None:
    across = rule(sooner, "notify.now")
    assert across.before, "a rule that looks across machines decides"
    groups = asked(lake, root, 0, SET=SOONER)
    assert (groups.rules, groups.episodes, groups.calibration) == (sooner.rules, sooner.episodes, sooner.calibration)


def test_from_a_time_on_it_reports_what_the_whole_lake_gives_from_then_on(
    sooner: WhatIf, lake: Path, root: Path, lines: list[str]
) -> None:
    since_ms = min(one.taken_ms for one in reports_in(lines)) + MINUTES // 2 * MINUTE_MS
    part = asked(lake, root, SET=SOONER, SINCE=times.to_utc(since_ms))
    assert len(rule(part, SILENT).added) > 0
    for whole in sooner.rules:
        found = rule(part, whole.rule)
        assert found.added == [one for one in whole.added if one.at_ms >= since_ms]
        assert found.removed == [one for one in whole.removed if one.at_ms >= since_ms]
        assert found.changed == [one for one in whole.changed if one.after.at_ms >= since_ms]
    assert part.calibration.percent == 100


def test_an_end_leaves_out_what_was_due_or_came_later(lake: Path, root: Path, lines: list[str]) -> None:
    until_ms = min(one.taken_ms for one in reports_in(lines)) + MINUTES * 2 // 3 * MINUTE_MS
    part = asked(lake, root, RULE="silent", SET=SOONER, UNTIL=times.to_utc(until_ms))
    before, after = (silences(lines, after_ms, until_ms=until_ms) for after_ms in (30 * MINUTE_MS, SOONER_MS))
    change = rule(part, SILENT)
    assert places(change.added) == sorted(after - before)
    assert (change.before, change.after) == (len(before), len(after))
    assert len(before) < len(after) < len(silences(lines, SOONER_MS))
    assert change.pending.after > 0
    assert (part.calibration.lake, part.calibration.percent) == (len(before), 100)


def test_lines_that_are_doubled_and_shuffled_change_nothing_and_a_dirty_tree_stays_byte_for_byte(
    sooner: WhatIf, lines: list[str], root: Path, tmp_path: Path
) -> None:
    (root / "staged.txt").write_text("a")
    git(root, "add", "staged.txt")
    (root / "staged.txt").write_text("b")
    (root / "functions" / "untracked.py").write_text("AFTER = 1")
    before, worktrees = files_in(root), git(root, "worktree", "list")
    doubled = [*lines, *lines]
    random.Random(2).shuffle(doubled)  # noqa: S311  chance is no secret
    report = asked(in_objects(doubled, tmp_path), root, SET=SOONER)
    assert (report.rules, report.episodes) == (sooner.rules, sooner.episodes)
    assert (files_in(root), git(root, "worktree", "list")) == (before, worktrees)
