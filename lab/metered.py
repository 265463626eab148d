"""Costs as rows: what is prepared and done in a world of its own, and what of that is counted; one loop counts all.

Dollars are those of a million times. Prices: `lab/prices.py`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, groupby
from math import isclose
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self

from andon.dynamodb.schema import TableSchema
from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.testing.loop import Loop
from andon.testing.memory.hook import Call
from andon.testing.memory.meter import Meter, Used
from lab.prices import BUS_ENTRY, READ_UNIT, S3_GET, S3_PUT, WRITE_UNIT
from lab.quiet_clock import Now, quiet_clock

HTTP: Final = frozenset({"command", "query"})
"""Roles that a caller waits for."""

OF_S3: Final = {"PutObject": S3_PUT.dollars, "DeleteObjects": 0.0}
"""Dollars of a million requests; any other is as a GET. To delete is free."""

NEAR: Final = 0.05
"""A timer is renewed now and then, see `andon/rules/micro_event_store.py`."""


class Metered(Loop):
    """The loop in memory at a time of its own, whose handlers log nothing; `meter.used` has what it uses.

    answers: the bytes of each answer of the API. s3: dollars of a million times its requests.
    """

    def __init__(self, schemas: Mapping[str, TableSchema] | None = None, meter: Meter | None = None) -> None:
        self.meter, self.now = meter or Meter(), Now()
        self.answers, self.s3 = list[int](), 0.0
        super().__init__(None if schemas is None else {**schemas}, self.meter)

    def __enter__(self) -> Self:
        super().__enter__()
        self.now = self._stack.enter_context(quiet_clock())
        return self

    def forget(self) -> None:
        """Count anew; the rows stay."""
        self.meter.used, self.answers, self.s3 = Used(), [], 0.0

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """Call a handler; measure its response if somebody waits for it."""
        response = super().invoke(package, role, event)
        if role in HTTP:
            self.answers.append(len((response.get("body") or "").encode()))
        return response

    def answer(self, call: Call) -> JsonObject:
        """Answer a call of AWS, and count it."""
        used = self.meter.used
        used.requests[call.operation] += 1
        if call.operation == "PutEvents":
            used.entries.update(entry["Source"] for entry in call.request["Entries"])
        if call.service == "s3":
            self.s3 += OF_S3.get(call.operation, S3_GET.dollars)
        return super().answer(call)


Do = Callable[[Metered], object]
Counting = Callable[[Metered], float]


def dollars(
    *, tables: Collection[str] | None = None, source: str = "", of_answer: float = 0, per: float = 1
) -> Counting:
    """Return the counting of dollars: units of all tables and S3's requests, or units of some; entries of a source.

    of_answer: of each request to the API. per: so many times is done what the row is named after.
    """

    def count(loop: Metered) -> float:
        used = loop.meter.used
        writes = sum(units for (place, _), units in used.writes.items() if tables is None or place.table in tables)
        reads = sum(units for place, units in used.read_units.items() if tables is None or place.table in tables)
        units = writes * WRITE_UNIT.dollars + reads * READ_UNIT.dollars + used.entries[source] * BUS_ENTRY.dollars
        return (units + (loop.s3 if tables is None else 0) + len(loop.answers) * of_answer) / per

    return count


def fixed(count: float) -> Counting:
    """Return the counting of what is known without doing it."""
    return lambda _: count


class Row(NamedTuple):
    """Work that is prepared and then done in a world of its own, and its countings: a cell each.

    less: whose cells are taken off. paper: the first cell as it is to be. schemas: in place of all packages' tables.
    """

    what: str
    prepare: Do
    do: Do
    counted_in: Sequence[Counting]
    less: "Row | None" = None
    paper: float | None = None
    schemas: Mapping[str, TableSchema] | None = None


class Line(NamedTuple):
    """The cells of the rows of one name."""

    what: str
    cells: Sequence[float]
    paper: float | None = None

    @property
    def differs(self) -> bool:
        """True if the first cell is not as on paper."""
        return self.paper is not None and not isclose(self.cells[0], self.paper, abs_tol=NEAR)


def counted(rows: Iterable[Row | Line]) -> Iterator[Line]:
    """Do what rows say; yield a line for those that have a name in common."""
    for what, some in groupby(rows, attrgetter("what")):
        one, *others = some
        cells = [cell for row in (one, *others) for cell in (row.cells if isinstance(row, Line) else _cells(row))]
        yield Line(what, cells, one.paper)


def _cells(row: Row) -> list[float]:
    with Metered(row.schemas) as loop:
        row.prepare(loop)
        loop.forget()
        row.do(loop)
        cells = [count(loop) for count in row.counted_in]
    taken_off = _cells(row.less) if row.less else [0.0] * len(cells)
    return [cell - off for cell, off in zip(cells, taken_off, strict=True)]


class Table(NamedTuple):
    """Rows below their head, in Markdown; some are counted already.

    form: of cells, in turn. page: the one below `docs/` that has the table. summed: their sum is a cell, too.
    """

    head: str
    rows: Callable[[], Iterable[Row | Line]]
    form: Sequence[str] = ("${:,.2f}",)
    page: str = ""
    summed: bool = False

    def text(self, lines: Sequence[Line]) -> str:
        """Write lines, and point at those that are not as on paper."""
        is_number = all(line.what.replace(",", "").isdigit() for line in lines)
        names = self.head.strip("| ").split(" | ")
        rule = "|".join(["", "---:" if is_number else "---", *["---:"] * (len(names) - 1), ""])
        return "\n".join([self.head, rule, *map(self._written, lines)])

    def _written(self, line: Line) -> str:
        # What is half a cent but for the last bit is rounded as half a cent.
        cells = [form.format(round(cell, 6)) for form, cell in zip(cycle(self.form), line.cells, strict=False)]
        if self.summed:
            cells.append(f"${sum(line.cells):.2f}")
        if self.head.endswith("| paper |"):
            cells.append("" if line.paper is None else f"{line.paper:.2f}")
        return f"{f'| {line.what}'.rstrip()} | {' | '.join(cells)} |{'  <- differs' if line.differs else ''}"
