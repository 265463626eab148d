"""The whole of it: trees, their processes, the lake's files, the comparison."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from andon.rules.hold_back import DEFAULT_SECONDS, VARIABLE
from andon.runtime.clock import MINUTE_MS
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.trace.gathering import LakeFolder
from andon.tools.views.deployed import Deployed
from andon.tools.what_if.asked import RuleNames, WhatIfAsked, reach_ms, rules_asked, with_causes
from andon.tools.what_if.comparing import Calibrating, TreeComparison, lines_in
from andon.tools.what_if.known_rows import KnownBeside, known_of
from andon.tools.what_if.report import Calibration, RuleChange, ToldEpisode, WhatIf
from andon.tools.what_if.setting import ConstantSet
from andon.tools.what_if.splitting import SplitLake, Splitter, sought_in
from andon.tools.what_if.telling import MOST_MISFITS, chosen, records_about, ties_in, told
from andon.tools.what_if.tree import Replayed, ReplayOrder
from andon.tools.what_if.tree_process import TreeProcess, running
from andon.tools.what_if.trees import commit, working

# An event's own time may lie so much ahead of when it was taken.
AHEAD_MS: Final = 10 * MINUTE_MS


class LakePlace(NamedTuple):
    """The folder of the lake's objects, and the system whose rows rules know; None: there is none."""

    lake: Path
    system: Deployed | None


class ReplayedSide(NamedTuple):
    """A tree's process, the folder for its decisions, and its end."""

    process: TreeProcess
    out: Path
    result: Replayed


def what_if(asked: WhatIfAsked, place: LakePlace, root: Path, room: Path) -> WhatIf:
    """Replay, and return what differs.

    Raises:
        ToolFailed: it cannot, with the reason.

    """
    setting = None if asked.setting is None else ConstantSet.of(asked.setting)
    with ExitStack() as stack:
        base = stack.enter_context(commit(root, asked.base, room / "base"))
        trees = [base, working(root, setting, room / "set")]
        folders = [room / "before", room / "after"]
        for folder in folders:
            folder.mkdir()
        sides = [stack.enter_context(running(*both)) for both in zip(trees, folders, strict=True)]
        return _replayed(asked, place, sides, room)


def _replayed(asked: WhatIfAsked, place: LakePlace, sides: Sequence[TreeProcess], room: Path) -> WhatIf:
    trees = [side.rules for side in sides]
    names = rules_asked(asked.rule, trees)
    replayed = with_causes(names, trees)
    # What is decided within a reach before the first anchor has a history of as much.
    from_ms = 0 if asked.since_ms is None else asked.since_ms - 2 * reach_ms(replayed, trees) - AHEAD_MS
    sought = sought_in(trees, replayed, from_ms=from_ms, until_ms=asked.until_ms)
    with step("reading the lake"):
        split = Splitter(sought, room).split(_lines(place.lake))
    if split.lake.last_ms is None:
        raise ToolFailed(f"{place.lake} has no events of the lake")
    known = known_of(asked.rosters, place.system, trees, replayed, split.first_rows)
    end_ms = split.lake.last_ms if asked.until_ms is None else min(asked.until_ms, split.lake.last_ms)
    order = partial(_order, asked, names, replayed, split, known, end_ms, room)
    with step("deciding it twice"):
        done = _carried_out(sides, order, split)
    return _report(asked, names, split, known, done, end_ms)


def _lines(folder: Path) -> Iterator[bytes]:
    lake = LakeFolder(folder)
    return (line.encode() for _, line in lake.lines(lake.days))


def _order(
    asked: WhatIfAsked,
    names: RuleNames,
    replayed: RuleNames,
    split: SplitLake,
    known: KnownBeside,
    end_ms: int,
    room: Path,
) -> ReplayOrder:
    recorded = room / "recorded"
    with recorded.open("wb") as out:
        for (service, key), decision in split.decisions.items():
            out.write(orjson.dumps([service, key, decision.taken_ms]) + b"\n")
    ids: dict[str, list[str]] = {}
    for service, rule_id in sorted(replayed):
        ids.setdefault(service, []).append(rule_id)
    return {
        "replayed": ids,
        "asked": sorted(map(".".join, names)),
        "groups": split.groups,
        "known": {variable: [*rows] for variable, rows in known.rows.items()},
        "pinned": [*known.pinned],
        "recorded": str(recorded),
        "since_ms": asked.since_ms or 0,
        "end_ms": end_ms,
        "hold_back_seconds": _hold_back_seconds(),
        "out": "",
    }


def _carried_out(
    sides: Sequence[TreeProcess], order_of: Callable[[], ReplayOrder], split: SplitLake
) -> list[ReplayedSide]:
    """Let both trees replay; if a rule looks at several subjects, all of them together."""
    order = order_of()
    done = [*_replay(sides, order)]
    if any(one.result["mixed"] for one in done):
        done = [*_replay(sides, {**order, "groups": split.together})]
    return done


def _replay(sides: Sequence[TreeProcess], order: ReplayOrder) -> Iterator[ReplayedSide]:
    for side in sides:
        side.begin({**order, "out": str(side.folder)})
    for side in sides:
        yield ReplayedSide(side, side.folder, side.result())


def _report(
    asked: WhatIfAsked,
    names: RuleNames,
    split: SplitLake,
    known: KnownBeside,
    sides: Sequence[ReplayedSide],
    end_ms: int,
) -> WhatIf:
    before, after = sides
    rules, since_ms = sorted(map(".".join, names)), asked.since_ms or 0
    comparison = TreeComparison(rules, since_ms=since_ms)
    calibrating = Calibrating(
        split.decisions, since_ms=since_ms, end_ms=end_ms, lake_ends_ms=split.lake.last_ms or end_ms
    )
    for file in sorted(before.out.glob("*.jsonl"), key=lambda one: int(one.stem)):
        comparison.add(lines_in(file), lines_in(after.out / file.name))
        calibrating.add(lines_in(file))
    calibrating.end(rules)
    changes = comparison.result(_calibrations(calibrating, split), before.result, after.result)
    return WhatIf(
        before=before.process.tree.name,
        after=after.process.tree.name,
        since_ms=asked.since_ms,
        until_ms=end_ms,
        lake=split.lake,
        rules=changes,
        episodes=_episodes(changes, split),
        assumptions=[*known.assumptions, *_assumptions(split, sides)],
    )


def _calibrations(calibrating: Calibrating, split: SplitLake) -> Mapping[str, Calibration]:
    some = calibrating.misfits[:MOST_MISFITS]
    return calibrating.result(ties_in(some, records_about((one.subject for one in some), split.files)))


def _episodes(changes: Sequence[RuleChange], split: SplitLake) -> list[ToldEpisode]:
    picked = chosen(changes)
    return told(picked, records_about((one.subject for one, _ in picked), split.files), split.decisions)


def _hold_back_seconds() -> float:
    return float(os.environ.get(VARIABLE) or DEFAULT_SECONDS)


def _assumptions(split: SplitLake, sides: Sequence[ReplayedSide]) -> Iterable[str]:
    yield "people did what they did: they answered the old decisions, not the new ones"
    yield f"decisions wait {_hold_back_seconds():g} s for late events ({VARIABLE}, as the stage has it)"
    yield "events arrive when the bus took them, which the lake says in whole seconds; a rule looks whenever it is due"
    yield "rules that were not asked for, and cause none that was, decided what the lake says"
    if split.without_row:
        yield f"{split.without_row:,} decisions in the lake say no row, and calibrate nothing"
    for side in sides:
        for name, why in sorted(side.result["why"].items()):
            yield f"{side.process.tree.name}: {name} failed {side.result['faults'][name]:,} times, first: {why}"
