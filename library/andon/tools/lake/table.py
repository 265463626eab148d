"""The result of a query, as a table for a person or as CSV for a program."""

import csv
from numbers import Number
from pathlib import Path
from typing import Any, Final, NamedTuple

SHOWN: Final = 60  # rows; CSV has all
WIDEST: Final = 60  # characters of a cell

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
    """Write all rows; what is null is empty."""
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(table.columns)
        writer.writerows(table.rows)


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
