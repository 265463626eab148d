"""Rows that rules know of beside events, for both trees alike: rosters and their like, which are in no event.

`ROSTERS=file` is JSON: the environment variable of a table -> a list of its rows, each with its primary key:

    {"THINGS_TABLE": [{"pk": "LakePlace#1", "sk": "roster", "people": ["p-1", "p-2"]}]}
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.rules.rule import BY, RULE
from andon.rules.stored_event import CORRELATED, EVENT, UNREADABLE
from andon.rules.timing import DUE
from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.asked import RuleNames, left_to_lake, name_of
from andon.tools.what_if.known_tables import KnownRows
from andon.tools.what_if.report import RowKey, row_key
from andon.tools.what_if.tree import TreeRules


def rows_in(file: Path) -> KnownRows:
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


FirstRows = Mapping[tuple[str, RowKey], tuple[int, Item | None]]
"""Service and key of a row -> when its first fact came, and the row before it; None: there was none."""

RowsOf = Callable[[Package, str], Iterable[Item]]
"""Reads all rows of a table of a service, by the environment variable of the table, in the running system."""

_NOT_KNOWN: Final = frozenset({None, EVENT, CORRELATED, UNREADABLE, DUE})
"""Discriminators of rows that follow from events; a row without one is kept by a subscription."""


class KnownBeside(NamedTuple):
    """The rows from the start, keys of those that no event changes (as `repr`), and what is assumed of them."""

    rows: KnownRows
    pinned: Sequence[str]
    assumptions: Sequence[str]


def known_of(
    file: Path | None, rows_of: RowsOf | None, trees: Sequence[TreeRules], replayed: RuleNames, first_rows: FirstRows
) -> KnownBeside:
    """Return the rows that rules know: of a file, or of the running system, as they were before their first fact.

    Raises:
        ToolFailed: they cannot be read.

    """
    rules = (rule for tree in trees for rule in tree["rules"])
    asking = {rule["service"] for rule in rules if rule["needs_context"] and name_of(rule) in replayed}
    facts = {name: of for tree in trees for name, of in tree["services"].items() if name in asking}
    if file is not None:
        rows = rows_in(file)
        keys = {of["table"]: of["keys"] for of in facts.values()}
        pinned = [repr(row_key(row, keys[name])) for name, some in rows.items() if name in keys for row in some]
        said = f"rosters and their like were as {file.name} has them, all the time"
        return KnownBeside(rows, pinned, [said, *_left(trees)])
    live = {} if rows_of is None else {of["table"]: [*_live(rows_of, name, of["table"])] for name, of in facts.items()}
    rows = {
        of["table"]: [*_at_first(live.get(of["table"], ()), name, of["keys"], first_rows)] for name, of in facts.items()
    }
    where = "in the lake alone" if rows_of is None else "in the running system"
    said = f"rosters and their like were as facts of the lake say, and before the first of them as they are {where}"
    return KnownBeside(rows, (), [*([said] if asking else []), *_left(trees)])


def _left(trees: Sequence[TreeRules]) -> Iterable[str]:
    if left := sorted(map(".".join, left_to_lake(trees))):
        yield f"{', '.join(left)} decided what the lake says: they know what no event does"


def _live(rows_of: RowsOf, service: str, table: str) -> Iterable[Item]:
    """Yield the rows of a service's table that people wrote."""
    package = next(one for one in services() if one.name == service)
    rows = rows_of(package, table)
    return (row for row in rows if row.get("discriminator") not in _NOT_KNOWN and row.get(BY) != RULE)


def _at_first(live: Iterable[Item], service: str, names: Sequence[str], first_rows: FirstRows) -> Iterable[Item]:
    """Yield rows as they were before the first fact of each: of those that no fact tells of, as they are."""
    yield from (row for row in live if (service, row_key(row, names)) not in first_rows)
    yield from (row for (of, _), (_, row) in first_rows.items() if of == service and row is not None)
