"""A replay for what-if: rows known before, trees, their processes, the files of the lake, the comparison."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple, TypeVar, cast

import orjson

from andon.dynamodb.attribute_values import Item
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.project import library_folder
from andon.rules.micro_event_store import DEFAULT_SECONDS, VARIABLE
from andon.rules.rule import BY, RULE
from andon.rules.stored_event import CORRELATED, EVENT, UNREADABLE
from andon.rules.timing import DUE
from andon.runtime.clock import MINUTE_MS
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.trace.gathering import LakeFolder
from andon.tools.what_if.asked import (
    RuleNames,
    WhatIfAsked,
    left_to_lake,
    name_of,
    reach_ms,
    rules_asked,
    with_causes,
    with_hearers,
)
from andon.tools.what_if.comparing import Calibrating, TreeComparison
from andon.tools.what_if.known_tables import KnownRows
from andon.tools.what_if.report import (
    Calibration,
    ProcessCost,
    RowKey,
    RuleChange,
    ToldEpisode,
    WhatIf,
    own_cost,
    row_key,
)
from andon.tools.what_if.splitting import FEW_EVENTS, SplitLake, Splitter, sought_in
from andon.tools.what_if.telling import chosen, records_about, ties_in, told
from andon.tools.what_if.tree import DecidedLine, Replayed, ReplayOrder, TreeRules
from andon.tools.what_if.trees import ConstantSet, Tree, commit, working

# Rows that rules know of beside events, for both trees alike: rosters and their like, which are in no event.
#
# `ROSTERS=file` is JSON: the environment variable of a table -> a list of its rows, each with its primary key:
#
#     {"THINGS_TABLE": [{"pk": "LakePlace#1", "sk": "roster", "people": ["p-1", "p-2"]}]}


def _rows_in(file: Path) -> KnownRows:
    """Read a file of rows.

    Raises:
        ToolFailed: there is none, or it is no such file.

    """
    try:
        read = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise ToolFailed(f"ROSTERS={file} cannot be read: {error}") from error
    if not isinstance(read, dict) or not all(isinstance(rows, list) for rows in read.values()):
        raise ToolFailed(f'ROSTERS={file} is no JSON like {{"THINGS_TABLE": [{{…}}]}}: a list of rows for each table')
    return read


_FirstRows = Mapping[tuple[str, RowKey], tuple[int, Item | None]]
"""Service and key of a row -> when its first fact came, and the row before it; None: there was none."""

_RowsOf = Callable[[Package, str], Iterable[Item]]
"""Reads all rows of a table of a service, by the environment variable of the table, in the running system."""

_NOT_KNOWN: Final = frozenset({None, EVENT, CORRELATED, UNREADABLE, DUE})
"""Discriminators of rows that follow from events; a row without one is kept by a subscription."""


class _KnownBeside(NamedTuple):
    """The rows from the start, keys of those that no event changes (as `repr`), and what is assumed of them."""

    rows: KnownRows
    pinned: Sequence[str]
    assumptions: Sequence[str]


def known_of(
    file: Path | None, rows_of: _RowsOf | None, trees: Sequence[TreeRules], replayed: RuleNames, first_rows: _FirstRows
) -> _KnownBeside:
    """Return the rows that rules know: of a file, or of the running system, as they were before their first fact.

    Raises:
        ToolFailed: they cannot be read.

    """
    rules = (rule for tree in trees for rule in tree["rules"])
    asking = {rule["service"] for rule in rules if rule["needs_context"] and name_of(rule) in replayed}
    facts = {name: of for tree in trees for name, of in tree["services"].items() if name in asking}
    if file is not None:
        rows = _rows_in(file)
        keys = {of["table"]: of["keys"] for of in facts.values()}
        pinned = [repr(row_key(row, keys[name])) for name, some in rows.items() if name in keys for row in some]
        said = f"rosters and their like were as {file.name} has them, all the time"
        return _KnownBeside(rows, pinned, [said, *_left(trees)])
    live = {} if rows_of is None else {of["table"]: [*_live(rows_of, name, of["table"])] for name, of in facts.items()}
    rows = {
        of["table"]: [*_at_first(live.get(of["table"], ()), name, of["keys"], first_rows)] for name, of in facts.items()
    }
    where = "in the lake alone" if rows_of is None else "in the running system"
    said = f"rosters and their like were as facts of the lake say, and before the first of them as they are {where}"
    return _KnownBeside(rows, (), [*([said] if asking else []), *_left(trees)])


def _left(trees: Sequence[TreeRules]) -> Iterable[str]:
    if left := sorted(map(".".join, left_to_lake(trees))):
        yield f"{', '.join(left)} decided what the lake says: they know what no event does"


def _live(rows_of: _RowsOf, service: str, table: str) -> Iterable[Item]:
    """Yield the rows of a service's table that people wrote."""
    package = next(one for one in services() if one.name == service)
    rows = rows_of(package, table)
    return (row for row in rows if row.get("discriminator") not in _NOT_KNOWN and row.get(BY) != RULE)


def _at_first(live: Iterable[Item], service: str, names: Sequence[str], first_rows: _FirstRows) -> Iterable[Item]:
    """Yield rows as they were before the first fact of each: of those that no fact tells of, as they are."""
    yield from (row for row in live if (service, row_key(row, names)) not in first_rows)
    yield from (row for (of, _), (_, row) in first_rows.items() if of == service and row is not None)


# A process that replays rules of one tree by the engine of this one, see `tree.py`.

MODULE: Final = "andon.tools.what_if.tree"
_STDERR: Final = "stderr"
TOLD: Final = 300  # characters of why a tree cannot be read


class TreeProcess:
    """A process. rules: what its tree has. folder: for its decisions."""

    def __init__(self, tree: Tree, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.tree, self._process, self.folder = tree, process, folder
        self.rules = cast("TreeRules", self._answer())

    def begin(self, order: ReplayOrder) -> None:
        """Let it replay."""
        _pipe(self._process.stdin).write(orjson.dumps(order) + b"\n")
        _pipe(self._process.stdin).flush()

    def result(self) -> Replayed:
        """Wait until it has replayed.

        Raises:
            ToolFailed: it ended before.

        """
        return cast("Replayed", self._answer())

    def _answer(self) -> object:
        line = _pipe(self._process.stdout).readline()
        if not line:
            self._process.wait()
            lines = [one for one in (self.folder / _STDERR).read_text(errors="replace").splitlines() if one.strip()]
            raise ToolFailed(f"the rules of {self.tree.name} cannot run: {(lines or ['it ended'])[-1][:TOLD]}")
        return orjson.loads(line)


@contextmanager
def running(tree: Tree, folder: Path) -> Iterator[TreeProcess]:
    """Run a process for a tree, and end it.

    Raises:
        ToolFailed: the tree cannot be imported.

    """
    imports = os.pathsep.join((str(tree.functions), str(library_folder().parent)))
    # It writes no bytecode: the working tree stays as it lies.
    environment = {**os.environ, "PYTHONPATH": imports, "PYTHONDONTWRITEBYTECODE": "1"}
    with (folder / _STDERR).open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE], cwd=folder, env=environment, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
    try:
        yield TreeProcess(tree, process, folder)
    finally:
        process.kill()
        process.communicate()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the process was started with pipes")
    return pipe


# Both trees' replays: group by group; then, all groups together, the services whose rules look across groups.
#
# The second pass has less to hold: only the events that those services hear, what others decided among them.

Said = TypeVar("Said", int, str)


class DecisionFile(NamedTuple):
    """A file of decisions. without: services whose decisions in it do not count."""

    file: Path
    without: frozenset[str] = frozenset()

    def lines(self) -> Iterator[DecidedLine]:
        """Yield the decisions that count."""
        with self.file.open("rb") as lines:
            for line in map(orjson.loads, lines):
                if _service_of(line["rule"]) not in self.without:
                    yield line


class ReplayedSide(NamedTuple):
    """The decisions of a tree. tree: in words. files: one for each group."""

    tree: str
    files: Sequence[DecisionFile]
    result: Replayed


def _carried_out(
    sides: Sequence[TreeProcess], order: ReplayOrder, replayed: RuleNames, files: Sequence[str]
) -> list[ReplayedSide]:
    """Let both trees replay; files: those of all groups.

    Raises:
        ToolFailed: a tree's process ended.

    """
    first = _replay(sides, [{**order, "out": _folder(side, "first")} for side in sides])
    mixed = with_hearers(
        {one for side in first for one in side.result["mixed"]}, replayed, [one.rules for one in sides]
    )
    if not mixed:
        return first
    rest = {service: ids for service, ids in order["replayed"].items() if service in mixed}
    orders: list[ReplayOrder] = [
        {
            **order,
            "replayed": rest,
            "groups": [[*files, one.result["facts"]]],
            "is_rest": True,
            "out": _folder(side, "rest"),
        }
        for side, one in zip(sides, first, strict=True)
    ]
    second = _replay(sides, orders)
    return [_with_rest(one, other, mixed) for one, other in zip(first, second, strict=True)]


def _folder(side: TreeProcess, name: str) -> str:
    folder = side.folder / name
    folder.mkdir()
    return str(folder)


def _replay(sides: Sequence[TreeProcess], orders: Sequence[ReplayOrder]) -> list[ReplayedSide]:
    """Let both trees replay at the same time."""
    for side, order in zip(sides, orders, strict=True):
        side.begin(order)
    results = [side.result() for side in sides]
    return [
        ReplayedSide(side.tree.name, [DecisionFile(Path(file)) for file in result["files"]], result)
        for side, result in zip(sides, results, strict=True)
    ]


def _with_rest(first: ReplayedSide, rest: ReplayedSide, mixed: frozenset[str]) -> ReplayedSide:
    """Return the decisions of a tree, those of some services by the second pass."""
    earlier, later = first.result, rest.result
    return ReplayedSide(
        first.tree,
        [*(file._replace(without=mixed) for file in first.files), *rest.files],
        {
            **later,
            "pending": _joined(earlier["pending"], later["pending"], mixed),
            "late": _joined(earlier["late"], later["late"], mixed),
            "faults": _joined(earlier["faults"], later["faults"], mixed),
            "why": _joined(earlier["why"], later["why"], mixed),
        },
    )


def _joined(earlier: Mapping[str, Said], later: Mapping[str, Said], mixed: frozenset[str]) -> dict[str, Said]:
    """Return the numbers or words by service and rule, those of some services by the second pass."""
    return {name: said for name, said in earlier.items() if _service_of(name) not in mixed} | dict(later)


def _service_of(name: str) -> str:
    return name.partition(".")[0]


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
    rows_of: _RowsOf | None
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
        done = _carried_out(sides, order, replayed, split.files)
    return _report(asked, names, split, known, done, end_ms, place.hold_back)


def _lines(folder: Path) -> Iterator[bytes]:
    lake = LakeFolder(folder)
    return lake.raw_lines(lake.days)


def _order(
    asked: WhatIfAsked,
    names: RuleNames,
    replayed: RuleNames,
    split: SplitLake,
    known: _KnownBeside,
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
    known: _KnownBeside,
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
