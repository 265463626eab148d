"""The saved queries of the lake: Trino's SQL, as Athena runs it, each in a file.

The first line of a file is its title. A line `-- :since  first day (default: 2020-01-01)` describes a parameter, which
the SQL names `:since`. A query may use the tables of `shared/` by name, those here and the project's: they are put
before it as a `WITH`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from andon.project import project

FOLDER: Final = project().functions / "queries"
TABLE: Final = "events"
COLUMNS: Final = {"source": "source", "detail_type": "detail-type", "time": "time", "id": "id", "detail": "detail"}
"""The columns of the table, all of them text, and the members of the envelope that they hold; `detail` is JSON."""
PARTITIONS: Final = ("day", "hour")  # the last columns, text as well: `2026-11-21` and `09`
_SHARED: Final = {
    file.stem: file for folder in (Path(__file__).parent, FOLDER) for file in sorted((folder / "shared").glob("*.sql"))
}
SHARED: Final = tuple(_SHARED)
"""The shared tables, the library's first: each may stand on those before it, in the order of their names."""

_PARAMETER = re.compile(r"^-- :(?P<name>\w+) +(?P<about>.*?)(?: \(default: (?P<default>[^)]*)\))?$", re.MULTILINE)
_USE = re.compile(r"(?<![\w:']):([a-z_]+)\b")
_COMMENT = re.compile(r"^ *--.*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a query; without a default it is required."""

    name: str
    about: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """A query: its SQL without comments, with parameters as `:name`, in the order of their descriptions."""

    title: str
    sql: str
    parameters: tuple[Parameter, ...]

    def with_parameters(self, mark: Callable[[str], str]) -> str:
        """Return the SQL with each use of a parameter replaced by `mark(name)`."""
        names = {parameter.name for parameter in self.parameters}
        return _USE.sub(lambda use: mark(use[1]) if use[1] in names else use[0], self.sql)

    def values(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the value of each parameter.

        Raises:
            ValueError: one that has no default is missing, or there is none of a name.

        """
        if unknown := given.keys() - {parameter.name for parameter in self.parameters}:
            raise ValueError(f"there is no parameter {', '.join(sorted(unknown))}")
        found = {parameter.name: given.get(parameter.name, parameter.default) for parameter in self.parameters}
        if missing := [name for name, value in found.items() if value is None]:
            raise ValueError(f"{', '.join(missing)} is missing")
        return {name: value for name, value in found.items() if value is not None}

    def literal(self, given: Mapping[str, str]) -> str:
        """Return the SQL with the values in it, to be pasted into Athena.

        Raises:
            ValueError: see `values`.

        """
        values = self.values(given)
        return self.with_parameters(lambda name: "'" + values[name].replace("'", "''") + "'")


def names() -> list[str]:
    """Return the names of the saved queries."""
    return sorted(file.stem for file in FOLDER.glob("*.sql"))


def saved(name: str) -> Question:
    """Return a saved query.

    Raises:
        KeyError: there is none of that name.

    """
    if name not in names():
        raise KeyError(name)
    return question((FOLDER / f"{name}.sql").read_text())


def shared_sql(name: str) -> str:
    """Return the SQL of a shared table."""
    return _SHARED[name].read_text()


def question(text: str) -> Question:
    """Return the query in a text, with the shared tables that it uses before it."""
    shared = _used_by(text)
    first_line = text.partition("\n")[0]
    return Question(
        title=first_line.removeprefix("-- ") if first_line.startswith("-- ") else "",
        sql=_compose({name: _without_comments(part) for name, part in shared.items()}, _without_comments(text)),
        parameters=_parameters([text, *shared.values()]),
    )


def _used_by(text: str) -> dict[str, str]:
    """Return the shared tables that a query uses, and those that they use, each behind its own."""
    found: dict[str, str] = {}
    for name in reversed(SHARED):
        if any(re.search(rf"\b{name}\b", _without_comments(user)) for user in (text, *found.values())):
            found = {name: shared_sql(name), **found}
    return found


def _compose(shared: Mapping[str, str], body: str) -> str:
    if not shared:
        return body
    tables = ",\n".join(f"{name} AS (\n{sql}\n)" for name, sql in shared.items())
    keyword, _, others = body.partition(" ")
    if keyword.upper() == "WITH":
        return f"WITH {tables},\n{others}"
    return f"WITH {tables}\n{body}"


def _without_comments(text: str) -> str:
    return _COMMENT.sub("", f"{text}\n").strip().removesuffix(";")


def _parameters(texts: list[str]) -> tuple[Parameter, ...]:
    found = (match for text in texts for match in _PARAMETER.finditer(text))
    return tuple(Parameter(match["name"], match["about"], match["default"]) for match in found)
