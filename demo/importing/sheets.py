"""Sheets of a plant, as CSV -> what its system is to have. Pure; an error names the sheet and the row.

| sheet | columns | several in a cell |
|---|---|---|
| `equipment.csv` | `id`, `name`, `lineId`, and where it stands, from `company` to `neighborhood` | |
| `people.csv` | `id`, `name` | |
| `categories.csv` | `id`, `name`, `icon`, `priority`, `needsCause` (yes, no) | |
| `causes.csv` | `id`, `name`, `categories`, `lines` (may be empty: all) | with a vertical bar between |

As a spreadsheet saves them: UTF-8, with a byte order mark or without; cells between commas, semicolons or tabs.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from andon.http.models import RequestModel
from andon.runtime import texts
from andon.runtime.json_types import JsonObject
from contract import people
from contract.locations import FIELDS
from services.calls.bodies import CatalogCauseBody, CategoryBody
from services.equipment.bodies import EquipmentBody
from services.people.bodies import PersonBody

Cells = Mapping[str, str]

DELIMITERS: Final = ",;\t"
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


EQUIPMENT: Final = Sheet("equipment", ("id", "name", "lineId", *FIELDS), _equipment, EquipmentBody, texts.word)
PEOPLE: Final = Sheet("people", ("id", "name"), _person, PersonBody, people.person_id)
CATEGORIES: Final = Sheet("categories", ("id", "name", "icon", "priority", "needsCause"), _category, CategoryBody, str)
CAUSES: Final = Sheet("causes", ("id", "name", "categories", "lines"), _cause, CatalogCauseBody, str)
SHEETS: Final = (EQUIPMENT, PEOPLE, CATEGORIES, CAUSES)


def rows_of(sheet: Sheet, content: bytes, factory: str) -> list[Row]:
    """Return the rows of a sheet, as the API takes them.

    Raises:
        Unfit: it is not UTF-8, has other columns, an id twice, or a row that the API would refuse.

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
    """Yield the rows that are not empty, by the number of their line; cells without space at their ends."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unfit([f"{sheet.name}.csv is not UTF-8; save it as CSV UTF-8"]) from error
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=head.count))
    columns = [name.strip() for name in next(reader, [])]
    if sorted(columns) != sorted(sheet.columns):
        raise Unfit([f"{sheet.name}.csv has the columns {', '.join(columns)}; it needs {', '.join(sheet.columns)}"])
    for cells in reader:
        stripped = [cell.strip() for cell in cells]
        if len(stripped) != len(columns) and any(stripped):
            raise Unfit([f"{sheet.name}.csv, line {reader.line_num}: {len(cells)} cells, not {len(columns)}"])
        if any(stripped):
            yield reader.line_num, dict(zip(columns, stripped, strict=True))


def _body_of(sheet: Sheet, cells: Cells, factory: str) -> JsonObject:
    body: JsonObject = sheet.model.model_validate(sheet.body_of(cells, factory)).model_dump(exclude_none=True)
    return body


def _said(error: Mapping[str, Any]) -> str:
    member = ".".join(str(part) for part in error["loc"])
    return f"{member}: {error['msg'].removeprefix('Value error, ')}"
