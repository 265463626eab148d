"""Names in the answer of a query: facts have ids of people only, and the project says where their names are looked up.

A name is put in the place of an id in the columns that the project names, word by word, and only if it is known. The
project's own API answers, so that nobody sees a name here whom they could not look up there.
"""

import http.client
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Final

from andon.project import People, project
from andon.tools.lake.table import TextTable
from andon.tools.stack.api import ApiClient
from andon.tools.stack.errors import ToolFailed

Lookup = Callable[[Sequence[str]], Mapping[str, str]]
"""Returns the names that are known of ids; raises `ToolFailed` if nobody can tell."""

_WORD: Final = re.compile(r"[\w-]+")


def named(table: TextTable, lookup: Lookup, *, shown: int | None = None) -> TextTable:
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


def by_api(api_of: Callable[[], ApiClient]) -> Lookup:
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
