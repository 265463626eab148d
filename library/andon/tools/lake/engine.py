"""DuckDB over a copy of the lake: the table `events`, as Athena has it, and Trino's functions by their names."""

import re
from collections.abc import Mapping
from numbers import Number
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from andon.recorded.lake import EVENTS
from andon.stores.lake.queries import COLUMNS, PARTITIONS, TABLE, Question

# The result of a query, as a table for a person or as CSV for a program.

SHOWN: Final = 60  # rows; CSV has all
WIDEST: Final = 60  # characters of a cell

# A spreadsheet may also split cells at semicolons and tabs, and then minds no quotes that begin within a cell.
# https://owasp.org/www-community/attacks/CSV_Injection; and the same characters in full width
_FORMULA: Final = re.compile(r'(^|[;\t\r\n])(?=[\s\x00-\x1f\ufeff"]*[=+\-@\uff1d\uff0b\uff0d\uff20])')
_TO_BE_QUOTED: Final = re.compile(r"[,;\t\r\n\"']|^\s|\s$")

Record = dict[str, Any]
"""One row, by column."""


class TextTable(NamedTuple):
    """The names of columns, and rows of as many values."""

    columns: list[str]
    rows: list[tuple[object, ...]]

    def column(self, name: str) -> list[object]:
        """Return the values of one column."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def records(self) -> list[Record]:
        """Return each row by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def to_text(table: TextTable) -> str:
    """Return aligned columns, numbers to the right; of many rows the first ones."""
    rows = [[_cell(value) for value in row] for row in table.rows[:SHOWN]]
    widths = [max(map(len, column)) for column in zip(table.columns, *rows, strict=True)]
    numeric = [_is_numeric(table, at) for at in range(len(table.columns))]
    lines = [_line(table.columns, widths, numeric), "  ".join("-" * width for width in widths)]
    lines += [_line(row, widths, numeric) for row in rows]
    if more := len(table.rows) - len(rows):
        lines.append(f"… and {more} more rows; CSV=file writes all")
    return "\n".join(lines)


def write_csv(table: TextTable, file: Path) -> None:
    """Write all rows; what is null is empty. No text is a formula, for whoever reports may say anything."""
    rows = [table.columns, *table.rows]
    file.write_text("".join(",".join(map(_csv_cell, row)) + "\r\n" for row in rows), "utf-8", newline="")


def _csv_cell(value: object) -> str:
    text = "" if value is None else str(value)
    is_number = isinstance(value, Number) and text.lstrip("-")[:1].isdecimal()  # infinity would be a formula
    text = text if is_number else _FORMULA.sub(r"\1'", text)
    return '"' + text.replace('"', '""') + '"' if _TO_BE_QUOTED.search(text) else text


def _line(cells: list[str], widths: list[int], numeric: list[bool]) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    )
    return "  ".join(padded).rstrip()


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    # A text of the lake may hold anything, and a terminal would obey it.
    text = "".join(character if character.isprintable() else "·" for character in text)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _is_numeric(table: TextTable, at: int) -> bool:
    values = [row[at] for row in table.rows if row[at] is not None]
    return bool(values) and all(isinstance(value, Number) and not isinstance(value, bool) for value in values)


_SPILLED: Final = "spilled"
"""The folder of what a query has no memory for."""

# Trino's name and parameters -> the same in DuckDB's SQL. Times are UTC in both.
MACROS: Final = {
    "json_extract_scalar(json, path)": "json_extract_string(json, path)",
    "from_unixtime(seconds)": "make_timestamp(CAST(round(seconds * 1e6) AS BIGINT))",
    "to_unixtime(moment)": "epoch(moment)",
    "from_iso8601_timestamp(text)": "CAST(rtrim(text, 'Z') AS TIMESTAMP)",
    "to_iso8601(moment)": "strftime(moment, '%Y-%m-%dT%H:%M:%S.%gZ')",
    "day_of_week(moment)": "isodow(moment)",
    "approx_percentile(number, share)": "quantile_disc(number, share)",
}


def connect(lake: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection whose table `events` is the objects below a folder, as they lie in the bucket.

    It reads and writes files in that folder alone, whatever a query says.
    """
    connection, folder = duckdb.connect(), lake.resolve()
    for signature, body in MACROS.items():
        connection.execute(f"CREATE MACRO {signature} AS {body}")
    connection.execute(f"CREATE VIEW {TABLE} AS {_events_in(folder)}")
    connection.execute(f"SET temp_directory = {_quoted(folder / _SPILLED)}")
    connection.execute(f"SET allowed_directories = [{_quoted(folder)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def ask(connection: duckdb.DuckDBPyConnection, question: Question, values: Mapping[str, str]) -> TextTable:
    """Run a query; `values`: of all of its parameters.

    Raises:
        duckdb.Error: it is wrong.

    """
    sql = question.with_parameters(lambda name: f"${name}")
    used = {name: value for name, value in values.items() if f"${name}" in sql}
    cursor = connection.execute(sql, used)
    return TextTable([column[0] for column in cursor.description], cursor.fetchall())


def _events_in(lake: Path) -> str:
    columns = ", ".join(f"'{member}': 'VARCHAR'" for member in COLUMNS.values())
    partitions = ", ".join(f"'{name}': VARCHAR" for name in PARTITIONS)
    names = ", ".join([f'"{member}" AS {column}' for column, member in COLUMNS.items()] + list(PARTITIONS))
    files = _quoted(lake / EVENTS / "*" / "*" / "*.ndjson.gz")
    return f"""
        SELECT {names} FROM read_json({files}, format = 'newline_delimited', columns = {{{columns}}},
            hive_partitioning = true, hive_types = {{{partitions}}})
    """  # noqa: S608  made of constants, and of a path with its quotes doubled


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
