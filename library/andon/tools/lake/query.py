"""`make query`: asks the lake, of this machine's stack or of one on AWS, and prints the answer.

| variable | meaning |
|---|---|
| `SQL` | a query in Trino's SQL over `events`, or over `facts`, where each fact is once |
| `NAME` | a saved query; its parameters are in `ARGS="since=2026-11-01 until=2026-11-30"` |
| `CSV`, `PLOT` | write all rows to a file; draw a saved query into a PNG, an SVG or a PDF |
| `NAMES` | write and draw names, too, which files else have ids for; also `--names` |
| `STACK` | the name of a stack on AWS instead of the one on this machine; names need a `TOKEN` for its API |
| `SHOW` | print the SQL as Athena takes it, and ask nothing |
"""

import difflib
import http.client
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final

import boto3
import duckdb
from botocore.exceptions import BotoCoreError, ClientError

from andon.project import People, project
from andon.stores.lake import queries
from andon.stores.lake.queries import Question
from andon.tools.called import as_called
from andon.tools.lake import engine, lake_copy, plots
from andon.tools.lake.engine import SHOWN, TextTable, to_text, write_csv
from andon.tools.lake.lake_copy import LakeBucket
from andon.tools.stack import outputs, users
from andon.tools.stack.api import ApiClient
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import outputs_of
from andon.tools.stack.progress import step

# Names in the answer of a query: facts have ids of people only, and the project says where their names are looked up.
#
# A name is put in the place of an id in the columns that the project names, word by word, and only if it is known.
# The project's own API answers, so that nobody sees a name here whom they could not look up there.

_Lookup = Callable[[Sequence[str]], Mapping[str, str]]
"""Returns the names that are known of ids; raises `ToolFailed` if nobody can tell."""

_WORD: Final = re.compile(r"[\w-]+")


def named(table: TextTable, lookup: _Lookup, *, shown: int | None = None) -> TextTable:
    """Return a table with names in the place of ids, of those in its first rows if `shown` says how many.

    Raises:
        ToolFailed: they cannot be looked up.

    """
    source = project().people
    places = [] if source is None else [at for at, column in enumerate(table.columns) if column in source.columns]
    if source is None or not places:
        return table
    found = dict.fromkeys(one for row in table.rows[:shown] for at in places for one in _ids(row[at], source))
    if not (known := lookup(list(found)) if found else {}):
        return table
    rows = (
        tuple(_named(cell, source, known) if at in places else cell for at, cell in enumerate(row))
        for row in table.rows
    )
    return TextTable(table.columns, list(rows))


def by_api(api_of: Callable[[], ApiClient]) -> _Lookup:
    """Return a look-up by the API of a stack, which is called for the first time when there is something to look up."""

    def lookup(ids: Sequence[str]) -> Mapping[str, str]:
        source = project().people
        if source is None:
            return {}
        api, found = api_of(), dict[str, str]()
        for some in _batches(ids, source.at_once):
            found |= _names(api, f"{source.path}?ids={','.join(some)}", source.name)
        return found

    return lookup


def _names(api: ApiClient, path: str, member: str) -> dict[str, str]:
    try:
        answer = api.get(path)
    except (OSError, http.client.HTTPException) as error:
        raise ToolFailed(f"names could not be looked up: {error}") from error
    if answer.status != HTTPStatus.OK:
        raise ToolFailed(f"names could not be looked up: {answer.status}")
    return {item["id"]: item[member] for item in answer.json["items"] if item.get(member)}


def _ids(cell: object, source: People) -> Iterator[str]:
    if isinstance(cell, str):
        yield from (word for word in _WORD.findall(cell) if _is_id(word, cell, source))


def _named(cell: object, source: People, known: Mapping[str, str]) -> object:
    if not isinstance(cell, str):
        return cell
    return _WORD.sub(lambda word: known.get(word[0], word[0]) if _is_id(word[0], cell, source) else word[0], cell)


def _is_id(word: str, cell: str, source: People) -> bool:
    """Return True if a word can be an id; a number within a sentence is a number."""
    return re.fullmatch(source.pattern, word) is not None and (word == cell or not word.isdigit())


def _batches(ids: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))


PERIOD: Final = ("since", "until")  # every query has them
OPTIONS: Final = """\
ARGS="since=2026-11-01 until=2026-11-30" looks at these days of the lake only: UTC, of when the bus took a fact.
CSV=answer.csv writes all rows, PLOT=answer.png draws a saved query.
Both have ids for people, whom a terminal names, unless NAMES=1.
STACK={stack} asks a stack on AWS, which tells names with TOKEN=… only; SHOW=1 prints the SQL for Athena."""


def main(given: Mapping[str, str]) -> int:
    """Ask, and print the answer or why there is none."""
    try:
        if not (given.get("SQL") or given.get("NAME")):
            print(usage())
            return 0
        answer(given, partial(_lake_of, given.get("STACK")), by_api(partial(_api_of, given)))
    except ToolFailed as reason:
        print(f"{as_called('query')}: {reason}", file=sys.stderr)
        return 1
    return 0


def usage() -> str:
    """Return the usage text, and the saved queries with their parameters."""
    example = 'SQL="SELECT type, count(*) FROM facts GROUP BY type"'
    lines = [f"{as_called('query')} {example}", "", "or one of these:", ""]
    for name in queries.names():
        question = queries.saved(name)
        lines += [f"{as_called('query')} NAME={name}{_example_of(question)}", f"    {question.title}"]
        lines += [f"    {one.name}: {one.about}" for one in question.parameters if one.name not in PERIOD]
        lines.append("")
    return "\n".join([*lines, OPTIONS.format(stack=project().name)])


def _question_of(given: Mapping[str, str]) -> Question:
    """Return the query that was asked.

    Raises:
        Failed: no query is saved under that name.

    """
    if given.get("SQL") and given.get("NAME"):
        raise ToolFailed("either SQL or NAME, not both")
    if name := given.get("NAME"):
        if name not in queries.names():
            near = difflib.get_close_matches(name, queries.names(), 1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise ToolFailed(f"no query is saved as {name!r}; {meant}there is {', '.join(queries.names()) or 'none'}")
        return queries.saved(name)
    return queries.question(given["SQL"])


def arguments(text: str) -> dict[str, str]:
    """Return the parameters in `ARGS`, as `since=2026-11-01 until=2026-12-01`.

    Raises:
        Failed: a part is not `name=value`.

    """
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise ToolFailed(f"ARGS could not be read: {error}") from error
    if wrong := [part for part in parts if "=" not in part]:
        raise ToolFailed(f'ARGS has to be as in ARGS="since=2026-11-01 until=2026-11-30", not {wrong[0]!r}')
    return dict(part.split("=", 1) for part in parts)


def answer(given: Mapping[str, str], lake_of: Callable[[], LakeBucket], lookup: _Lookup = lambda _ids: {}) -> None:
    """Ask, print the answer, and write and draw it; a lake is looked for as soon as the question is in order.

    A terminal shows names if they can be looked up. Files have ids, but with `NAMES`, and then are not written without.

    Raises:
        Failed: no answer can be had; the message says why.

    """
    question = _question_of(given)
    values = _values(question, arguments(given.get("ARGS", "")))
    if given.get("SHOW"):
        print(f"{question.literal(values)};")
        return
    _require_writable(given)
    table = ask(lake_copy.copy(lake_of()), question, values)
    if given.get("NAMES"):
        table = named(table, lookup)
    print(to_text(table if given.get("NAMES") else _for_a_terminal(table, lookup)))
    _write_files(given, question, values, table)


def _write_files(given: Mapping[str, str], question: Question, values: Mapping[str, str], table: TextTable) -> None:
    """Write the answer as CSV and as a picture, as far as that was asked for."""
    if given.get("CSV"):
        write_csv(table, Path(given["CSV"]))
        _note_written(given["CSV"])
    if given.get("PLOT"):
        draw(given["NAME"], question, values, table, Path(given["PLOT"]))
        _note_written(given["PLOT"])


def _for_a_terminal(table: TextTable, lookup: _Lookup) -> TextTable:
    try:
        return named(table, lookup, shown=SHOWN)
    except ToolFailed as reason:
        print(f"  ids instead of names: {reason}", file=sys.stderr)
        return table


def _require_writable(given: Mapping[str, str]) -> None:
    for file in filter(None, (given.get("CSV"), given.get("PLOT"))):
        if not Path(file).absolute().parent.is_dir():
            raise ToolFailed(f"there is no folder for {file}")
    if given.get("PLOT"):
        plots.require_drawable(given.get("NAME", ""), Path(given["PLOT"]))


def draw(name: str, question: Question, values: Mapping[str, str], table: TextTable, file: Path) -> None:
    """Draw what a saved query answered.

    Raises:
        Failed: the answer has no rows.

    """
    plots.draw(name, table, file, title=_title(question, values))


def ask(folder: Path, question: Question, values: Mapping[str, str]) -> TextTable:
    """Run a query over a copy of the lake.

    Raises:
        Failed: the SQL is wrong.

    """
    try:
        with step("asking the lake"):
            return engine.ask(engine.connect(folder), question, values)
    except duckdb.Error as error:
        raise ToolFailed(f"the query failed: {error}") from error


def _note_written(file: str) -> None:
    print(f"  done  writing {file}", file=sys.stderr)


def _lake_of(stack: str | None) -> LakeBucket:
    return lake_copy.of_deployed_stack(stack) if stack else lake_copy.of_running_stack()


def _api_of(given: Mapping[str, str]) -> ApiClient:
    """Return the API as an admin sees it; of a stack on AWS, as whoever has the token does.

    Raises:
        Failed: there is no stack, or no token for its API.

    """
    if not (stack := given.get("STACK")):
        running = outputs.of_running_stack()
        return ApiClient(running["ApiUrl"], token=users.token(running, project().groups.admin))
    if not given.get("TOKEN"):
        raise ToolFailed(f"names of {stack} need a TOKEN for its API")
    try:
        return ApiClient(outputs_of(boto3.client("cloudformation"), stack)["ApiUrl"], token=given["TOKEN"])
    except (BotoCoreError, ClientError) as error:
        raise ToolFailed(f"the stack {stack} on AWS could not be read: {error}") from error


def _values(question: Question, given: Mapping[str, str]) -> dict[str, str]:
    try:
        return question.values(given)
    except ValueError as error:
        known = ", ".join(parameter.name for parameter in question.parameters) or "none"
        raise ToolFailed(f'{error}; its parameters are {known}, as in ARGS="since=2026-11-01"') from error


def _example_of(question: Question) -> str:
    needed = [parameter.name for parameter in question.parameters if parameter.default is None]
    return f' ARGS="{" ".join(f"{name}={_example(name)}" for name in needed)}"' if needed else ""


def _example(name: str) -> str:
    subjects = project().subjects
    return subjects.example if name == subjects.name and subjects.example else "…"


def _title(question: Question, values: Mapping[str, str]) -> str:
    """Return a picture's title: what was asked, of what."""
    given = ", ".join(
        f"{one.name} {values[one.name]}" for one in question.parameters if values[one.name] != one.default
    )
    return question.title.rstrip(".") + (f"\n{given}" if given else "")


if __name__ == "__main__":
    sys.exit(main({**os.environ, **({"NAMES": "1"} if "--names" in sys.argv[1:] else {})}))
