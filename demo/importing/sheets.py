"""Sheets of a plant, as CSV -> what its system is to have. Pure; an error names the sheet and the row.

| sheet | columns | several in a cell |
|---|---|---|
| `equipment.csv` | `id`, `name`, `lineId`, and where it stands, from `company` to `neighborhood` | |
| `people.csv` | `id`, `name` | |
| `categories.csv` | `id`, `name`, `icon`, `priority`, `needsCause` (yes, no) | |
| `causes.csv` | `id`, `name`, `categories`, `lines` (may be empty: all) | with a vertical bar between |

As a spreadsheet saves them: UTF-8 or UTF-16, with a byte order mark or without; cells between commas, semicolons or
tabs, which a line `sep=;` may say; headings in any case, and empty columns behind them.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from andon.http.derived import body_of
from andon.http.models import RequestModel
from andon.runtime import texts
from andon.runtime.json_types import JsonObject
from contract import people
from contract.entities.calls import CatalogCauseEntity, CategoryEntity
from contract.entities.equipment import Equipment
from contract.levels import FIELDS
from services.people.resources import Person

Cells = Mapping[str, str]

DELIMITERS: Final = ",;\t"
SEP: Final = re.compile(rf'"?sep=([{DELIMITERS}])"?(?:\r\n|\r|\n)', re.IGNORECASE)
"""The first line by which a spreadsheet says what stands between cells."""

LONGEST_SAID: Final = 200  # characters of headings that are none
BETWEEN: Final = "|"
YES_OR_NO: Final[dict[str, object]] = {"yes": True, "no": False}


class Row(NamedTuple):
    """A row of a sheet: the id of something, and its body for the API. number: of its line."""

    number: int
    id: str
    body: JsonObject


class Sheet(NamedTuple):
    """A kind of sheet, its columns, and what each of its rows becomes."""

    name: str
    columns: tuple[str, ...]
    body_of: Callable[[Cells, str], dict[str, Any]]
    model: type[RequestModel]
    id_of: Callable[[str], str]


class Unfit(Exception):
    """A sheet cannot be taken; each line of the message names a row, and what is wrong with it."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def _equipment(cells: Cells, factory: str) -> dict[str, Any]:
    where = {level: cells[level] for level in FIELDS}
    return {"name": cells["name"], "factoryId": factory, "lineId": cells["lineId"], "location": where}


def _person(cells: Cells, factory: str) -> dict[str, Any]:
    return {"name": cells["name"], "factoryId": factory}


def _category(cells: Cells, _factory: str) -> dict[str, Any]:
    priority, needs_cause = cells["priority"], cells["needsCause"].lower()
    return {
        "id": cells["id"],
        "name": cells["name"],
        "icon": cells["icon"],
        "priority": int(priority) if priority.isdecimal() else priority,
        "needsCause": YES_OR_NO.get(needs_cause, needs_cause),
    }


def _cause(cells: Cells, _factory: str) -> dict[str, Any]:
    lines = {"lines": _several(cells["lines"])} if cells["lines"] else {}
    return {"id": cells["id"], "name": cells["name"], "categories": _several(cells["categories"]), **lines}


def _several(cell: str) -> list[str]:
    return [one.strip() for one in cell.split(BETWEEN) if one.strip()]


EQUIPMENT: Final = Sheet("equipment", ("id", "name", "lineId", *FIELDS), _equipment, body_of(Equipment), texts.word)
PEOPLE: Final = Sheet("people", ("id", "name"), _person, body_of(Person), people.person_id)
CATEGORIES: Final = Sheet(
    "categories", ("id", "name", "icon", "priority", "needsCause"), _category, body_of(CategoryEntity), str
)
CAUSES: Final = Sheet("causes", ("id", "name", "categories", "lines"), _cause, body_of(CatalogCauseEntity), str)
SHEETS: Final = (EQUIPMENT, PEOPLE, CATEGORIES, CAUSES)


def rows_of(sheet: Sheet, content: bytes, factory: str) -> list[Row]:
    """Return the rows of a sheet, as the API takes them.

    Raises:
        Unfit: it is no text, has other columns, a row that is none, an id twice, or a row that the API would refuse.

    """
    rows, wrong = list[Row](), list[str]()
    numbers = dict[str, int]()
    for number, cells in _cells_of(sheet, content):
        where = f"{sheet.name}.csv, line {number}"
        try:
            row = _row(sheet, number, cells, factory)
        except Unfit as refused:
            wrong += [f"{where}: {one}" for one in refused.lines]
            continue
        if row.id in numbers:
            wrong.append(f"{where}: id: {row.id} stands in line {numbers[row.id]}, too")
        numbers.setdefault(row.id, number)
        rows.append(row)
    if wrong:
        raise Unfit(wrong)
    return rows


def _row(sheet: Sheet, number: int, cells: Cells, factory: str) -> Row:
    """Return the row of a line.

    Raises:
        Unfit: the API would refuse it; its lines do not name the row.

    """
    try:
        return Row(number, sheet.id_of(cells["id"]), _body_of(sheet, cells, factory))
    except ValidationError as refused:
        raise Unfit([_said(error) for error in refused.errors()]) from refused
    except ValueError as refused:
        raise Unfit([f"id: {refused}"]) from refused


def _cells_of(sheet: Sheet, content: bytes) -> Iterator[tuple[int, Cells]]:
    """Yield the rows that are not empty, by the number of their first line; cells without space at their ends."""
    text = _text_of(sheet, content)
    sep = SEP.match(text)
    text, skipped = (text[sep.end() :], 1) if sep else (text, 0)
    head = "".join(text.splitlines()[:1])
    delimiter = sep[1] if sep else max(DELIMITERS, key=head.count)
    lines = _lines_of(sheet, text, delimiter, skipped)
    columns = _columns_of(sheet, next(lines, (0, []))[1])
    for number, cells in lines:
        if len(cells) < len(columns) or any(cells[len(columns) :]):
            raise Unfit([f"{sheet.name}.csv, line {number}: {len(cells)} cells, not {len(columns)}"])
        yield number, dict(zip(columns, cells, strict=False))  # behind them are empty ones alone


def _text_of(sheet: Sheet, content: bytes) -> str:
    """Return the text of a sheet. A heading begins with a letter of ASCII, which has a NUL beside it in UTF-16."""
    by_mark = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    by_nul = {0: "utf-16-be", 1: "utf-16-le"}.get(content[:2].find(b"\0"), "utf-8-sig")
    try:
        return content.decode("utf-16" if by_mark else by_nul)
    except UnicodeDecodeError as error:
        raise Unfit([f"{sheet.name}.csv is not UTF-8; save it as CSV UTF-8"]) from error


def _lines_of(sheet: Sheet, text: str, delimiter: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line that there is, then those with a cell that is not empty, each with its number."""
    reader, is_head = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), True
    while True:
        number = reader.line_num + skipped + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:  # a cell that is longer than any, or whose quotation mark has no other
            raise Unfit([f"{sheet.name}.csv, line {number}: {error}; is a quotation mark open?"]) from error
        if is_head or any(cells):
            yield number, cells
        is_head = False


def _columns_of(sheet: Sheet, headings: Sequence[str]) -> list[str]:
    """Return the columns of a sheet by its headings, in their order."""
    last = max((number for number, one in enumerate(headings, 1) if one), default=0)
    names = {name.casefold(): name for name in sheet.columns}
    columns = [names.get(one.casefold(), one) for one in headings[:last]]
    if sorted(columns) != sorted(sheet.columns):
        found = "".join(one if one.isprintable() else "·" for one in ", ".join(columns)[:LONGEST_SAID])
        raise Unfit([f"{sheet.name}.csv has the columns {found}; it needs {', '.join(sheet.columns)}"])
    return columns


def _body_of(sheet: Sheet, cells: Cells, factory: str) -> JsonObject:
    body: JsonObject = sheet.model.model_validate(sheet.body_of(cells, factory)).model_dump(exclude_none=True)
    return body


def _said(error: Mapping[str, Any]) -> str:
    member = ".".join(str(part) for part in error["loc"])
    return f"{member}: {error['msg'].removeprefix('Value error, ')}"
