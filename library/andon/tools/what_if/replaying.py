"""The whole of it: trees, their processes, the lake's files, the comparison."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from andon.rules.hold_back import DEFAULT_SECONDS, VARIABLE
from andon.runtime.clock import MINUTE_MS
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.trace.gathering import LakeFolder
from andon.tools.what_if.asked import RuleNames, WhatIfAsked, reach_ms, rules_asked, with_causes
from andon.tools.what_if.comparing import Calibrating, TreeComparison
from andon.tools.what_if.known_rows import KnownBeside, RowsOf, known_of
from andon.tools.what_if.passes import ReplayedSide, carried_out
from andon.tools.what_if.process_cost import ProcessCost, own_cost
from andon.tools.what_if.report import Calibration, RuleChange, ToldEpisode, WhatIf
from andon.tools.what_if.setting import ConstantSet
from andon.tools.what_if.splitting import FEW_EVENTS, SplitLake, Splitter, sought_in
from andon.tools.what_if.telling import chosen, records_about, told
from andon.tools.what_if.ties import ties_in
from andon.tools.what_if.tree import ReplayOrder
from andon.tools.what_if.tree_process import TreeProcess, running
from andon.tools.what_if.trees import commit, working

# An event's own time may lie so much ahead of when it was taken.
AHEAD_MS: Final = 10 * MINUTE_MS


class HoldBack(NamedTuple):
    """The time that decisions wait for late events. whence: who says so, in words."""

    seconds: float
    whence: str


DEFAULT: Final = HoldBack(DEFAULT_SECONDS, f"as a stage has it; a folder does not say: {VARIABLE}=… does")


class LakePlace(NamedTuple):
    """The folder of the lake's objects, and the rows of the running system that rules know; None: there is none."""

    lake: Path
    rows_of: RowsOf | None
    hold_back: HoldBack


def what_if(asked: WhatIfAsked, place: LakePlace, root: Path, room: Path, *, few_events: int = FEW_EVENTS) -> WhatIf:
    """Replay, and return what differs; few_events: so few are replayed as one group.

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
        return _replayed(asked, place, sides, room, few_events)


def _replayed(
    asked: WhatIfAsked, place: LakePlace, sides: Sequence[TreeProcess], room: Path, few_events: int
) -> WhatIf:
    trees = [side.rules for side in sides]
    names = rules_asked(asked.rule, trees)
    replayed = with_causes(names, trees)
    # What is decided within a reach before the first anchor has a history of as much.
    from_ms = 0 if asked.since_ms is None else asked.since_ms - 2 * reach_ms(replayed, trees) - AHEAD_MS
    sought = sought_in(trees, replayed, from_ms=from_ms, until_ms=asked.until_ms)
    with step("reading the lake"):
        split = Splitter(sought, room, few_events=few_events).split(_lines(place.lake))
    if split.lake.last_ms is None:
        raise ToolFailed(f"{place.lake} has no events of the lake")
    known = known_of(asked.rosters, place.rows_of, trees, replayed, split.first_rows)
    end_ms = split.lake.last_ms if asked.until_ms is None else min(asked.until_ms, split.lake.last_ms)
    order = _order(asked, names, replayed, split, known, end_ms, room, place.hold_back)
    with step("deciding it twice"):
        done = carried_out(sides, order, replayed, split.files)
    return _report(asked, names, split, known, done, end_ms, place.hold_back)


def _lines(folder: Path) -> Iterator[bytes]:
    lake = LakeFolder(folder)
    return lake.raw_lines(lake.days)


def _order(
    asked: WhatIfAsked,
    names: RuleNames,
    replayed: RuleNames,
    split: SplitLake,
    known: KnownBeside,
    end_ms: int,
    room: Path,
    hold_back: HoldBack,
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
        "is_rest": False,
        "known": {variable: [*rows] for variable, rows in known.rows.items()},
        "pinned": [*known.pinned],
        "recorded": str(recorded),
        "since_ms": asked.since_ms or 0,
        "end_ms": end_ms,
        "hold_back_seconds": hold_back.seconds,
        "out": "",
    }


def _report(
    asked: WhatIfAsked,
    names: RuleNames,
    split: SplitLake,
    known: KnownBeside,
    sides: Sequence[ReplayedSide],
    end_ms: int,
    hold_back: HoldBack,
) -> WhatIf:
    before, after = sides
    rules, since_ms = sorted(map(".".join, names)), asked.since_ms or 0
    comparison = TreeComparison(rules, since_ms=since_ms)
    calibrating = Calibrating(
        split.decisions, since_ms=since_ms, end_ms=end_ms, lake_ends_ms=split.lake.last_ms or end_ms
    )
    for file, other in zip(before.files, after.files, strict=True):
        comparison.add(file.lines(), other.lines())
        calibrating.add(file.lines())
    calibrating.end(rules)
    changes = comparison.result(_calibrations(calibrating, split), before.result, after.result)
    return WhatIf(
        before=before.tree,
        after=after.tree,
        since_ms=asked.since_ms,
        until_ms=end_ms,
        lake=split.lake,
        rules=changes,
        episodes=_episodes(changes, split),
        assumptions=[*known.assumptions, *_assumptions(hold_back, split, sides)],
        costs={"lake": own_cost(), "before": _cost(before), "after": _cost(after)},
    )


def _cost(side: ReplayedSide) -> ProcessCost:
    return ProcessCost(side.result["cpu_s"], side.result["peak_bytes"])


def _calibrations(calibrating: Calibrating, split: SplitLake) -> Mapping[str, Calibration]:
    return calibrating.result(ties_in(calibrating.misfits, split.files))


def _episodes(changes: Sequence[RuleChange], split: SplitLake) -> list[ToldEpisode]:
    picked = chosen(changes)
    return told(picked, records_about((one.subject for one, _ in picked), split.files), split.decisions)


def _assumptions(hold_back: HoldBack, split: SplitLake, sides: Sequence[ReplayedSide]) -> Iterable[str]:
    yield "people did what they did: they answered the old decisions, not the new ones"
    yield f"decisions wait {hold_back.seconds:g} s for late events ({hold_back.whence})"
    yield "events arrive when the bus took them, which the lake says in whole seconds; a rule looks whenever it is due"
    yield "rules that were not asked for, and cause none that was, decided what the lake says"
    if split.without_row:
        yield f"{split.without_row:,} decisions in the lake say no row, and calibrate nothing"
    for side in sides:
        for name, why in sorted(side.result["why"].items()):
            yield f"{side.tree}: {name} failed {side.result['faults'][name]:,} times, first: {why}"
