"""Cost of a screen that shows the agenda of a week: from one page of the table, or an object for each day; counted.

Dollars of a million weeks: API, calls of Lambda, and what they read. Lambda's time, some cents, is not in them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from andon.events.domain_event import DomainEvent
from andon.packages.package import Package
from andon.runtime import strict_json, times
from andon.testing.above_retries import Pass, between
from andon.testing.loop import Answer, Loop
from andon.testing.memory.calls import Answer as Answered
from andon.testing.memory.calls import Call
from andon.testing.memory.meter import Meter
from andon.testing.samples import body_of, sample
from lab.prices import API_REQUEST, INVOCATION, READ_UNIT, S3_GET
from lab.quiet_clock import quiet_clock

VIEWS: Final = (Package("views", "agenda"), Package("views", "agenda_days"))
WEEK: Final = [f"2026-01-{day:02d}" for day in range(12, 19)]
NOW_MS: Final = times.to_ms("2026-01-10T12:00:00Z")
ORDERS_A_DAY: Final = (1, 10, 50)


class Read(NamedTuple):
    """A week as a screen reads it: requests, bytes of the responses' bodies, dollars of a million."""

    requests: int
    size: int
    dollars: float


class Reads(NamedTuple):
    """In one page of the table, in objects for the first time, and once more when nothing has changed."""

    table: Read
    objects: Read
    unchanged: Read


class _Factory:
    """A factory with so many orders each day; counts what is read."""

    def __init__(self, loop: Loop, meter: Meter, orders_a_day: int) -> None:
        self._loop, self._meter, self._gets = loop, meter, 0
        facts = [_planned(day, number) for day in WEEK for number in range(orders_a_day)]
        for view in VIEWS:
            loop.deliver_all(view, [body_of(fact) for fact in facts])

    def count_gets(self, call: Call, make: Pass) -> Answered:
        """Make a call, and count it if it is one of S3's."""
        self._gets += call.service == "s3"
        return make()

    def of_table(self) -> Read:
        """Read the week in one page."""
        route = "GET /factories/{factoryId}/agenda"
        week = {"from": WEEK[0], "to": WEEK[-1], "limit": "1000"}
        return self._counted([(route, {"factoryId": "gdl-1"}, week, {})])[0]

    def of_objects(self) -> tuple[Read, Read]:
        """Read the week day by day, and once more."""
        route = "GET /factories/{factoryId}/agenda/{date}"
        asked: list[_Asked] = [(route, {"factoryId": "gdl-1", "date": day}, {}, {}) for day in WEEK]
        first, answers = self._counted(asked)
        again: list[_Asked] = [
            (route, path, query, {"if-none-match": answer.headers["etag"]})
            for (_, path, query, _), answer in zip(asked, answers, strict=True)
        ]
        return first, self._counted(again)[0]

    def _counted(self, asked: "list[_Asked]") -> "tuple[Read, list[Answer]]":
        self._gets, self._meter.used = 0, Meter().used
        answers = [
            self._loop.request(route, path=path, query=query, headers=headers) for route, path, query, headers in asked
        ]
        size = sum(len(strict_json.dumps(one.body).encode()) for one in answers if one.body)
        dollars = len(asked) * (API_REQUEST.dollars + INVOCATION.dollars)
        dollars += self._meter.used.reads * READ_UNIT.dollars + self._gets * S3_GET.dollars
        return Read(len(asked), size, dollars), answers


_Asked = tuple[str, dict[str, str], dict[str, str], dict[str, str]]
"""Route, parameters of its path and query, headers."""


def _planned(day: str, number: int) -> DomainEvent:
    """Return the fact that a machine is maintained on a day."""
    wire, machine = sample("domain", "maintenance-planned"), f"press-{number}"
    wire["order"] = {**wire["order"], "equipmentId": machine, "date": day, "plannedFor": day}
    return DomainEvent.from_wire(wire | {"id": f"{day} {machine}", "partitionKey": machine, "timestamp": NOW_MS})


@contextmanager
def _factory(orders_a_day: int) -> Iterator[_Factory]:
    meter = Meter()
    with quiet_clock() as now, Loop(observer=meter) as loop:
        now.ms = NOW_MS
        factory = _Factory(loop, meter, orders_a_day)
        with between(factory.count_gets):
            yield factory


def of_weeks() -> dict[int, Reads]:
    """Return the cost of reading a week, by its orders a day."""
    found = {}
    for number in ORDERS_A_DAY:
        with _factory(number) as factory:
            found[number] = Reads(factory.of_table(), *factory.of_objects())
    return found


def report() -> str:
    """Write the figures as the table of docs/maintenance.md."""
    lines = [
        "| orders a day | table: bytes | dollars | objects: bytes | dollars | unchanged: bytes | dollars |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for number, reads in of_weeks().items():
        cells = (f"{one.size:,} | ${one.dollars:.2f}" for one in reads)
        lines.append(f"| {number} | {' | '.join(cells)} |")
    return "\n".join(lines)
