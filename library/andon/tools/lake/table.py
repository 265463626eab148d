"""The result of a query, as a table for a person or as CSV for a program."""

import re
from numbers import Number
from pathlib import Path
from typing import Any, Final, NamedTuple

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
