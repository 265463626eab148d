"""Both trees' replays: group by group; then, all groups together, the services whose rules look across groups.

The second pass has less to hold: only the events that those services hear, what others decided among them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import orjson

from andon.tools.what_if.asked import RuleNames, with_hearers
from andon.tools.what_if.tree import DecidedLine, Replayed, ReplayOrder
from andon.tools.what_if.tree_process import TreeProcess

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


def carried_out(
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
