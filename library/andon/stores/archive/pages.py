"""One page of an actor's events: day by day, in the order in which the bus took them."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypedDict

from andon.http.page import MAX_PAGE_BYTES, bytes_sent
from andon.project import Actors
from andon.runtime import times
from andon.runtime.errors import Invalid
from andon.runtime.json_types import JsonMapping
from andon.stores.archive.days import days_of, read_day
from andon.stores.archive.lines import envelope_in, order_of

# Two requests each, which take 10 to 50 ms.
MOST_DAYS: Final = 62


class Period(NamedTuple):
    """From when to when, both inclusive, fixed-width UTC: when the bus took an event, which is in whole seconds.

    since: of events older than that nothing is shown, whenever the bus took them.
    """

    first: str
    last: str
    since: str = ""

    @classmethod
    def of(cls, first: str, last: str, *, place: str = "query") -> "Period":
        """Check a period that stands in the query or in the body.

        Raises:
            Invalid: the first lies behind the last.

        """
        if first > last:
            raise Invalid.field(f"{place}.from", "lies behind `to`")
        return cls(first=first, last=last)

    def has(self, envelope: JsonMapping) -> bool:
        """Return True if it includes an event, by its time as the bus writes it."""
        if self.since and times.to_utc(envelope["detail"]["timestamp"]) < self.since:
            return False
        return max(self.first, self.since) <= times.normalised(envelope["time"]) <= self.last


class Position(TypedDict):
    """Behind which event the next page begins: its day and its place there, "" before the first."""

    day: str
    after: str


class EventPage(NamedTuple):
    """Events as the lake has them; `behind`: where the next page begins, None at the end."""

    lines: list[str]
    behind: Position | None


def read_events(kind: Actors, actor: str, period: Period, *, limit: int, start: Position | None) -> EventPage:
    """Return up to `limit` events of an actor, or as many as a response can hold, or as `MOST_DAYS` have."""
    lines, size, days = list[str](), 0, 0
    position = start or Position(day=period.first[:10], after="")
    for day in days_of(kind, first=position["day"], last=period.last[:10]):
        if days == MOST_DAYS:
            return EventPage(lines, Position(day=day, after=""))
        days += 1
        for order, line in _events_of(kind, actor, day, period):
            if day == position["day"] and order <= position["after"]:
                continue
            size += bytes_sent(line)
            if lines and (len(lines) == limit or size > MAX_PAGE_BYTES):
                return EventPage(lines, _behind(lines[-1]))
            lines.append(line)
    return EventPage(lines, None)


def events_between(kind: Actors, actor: str, day: str, period: Period) -> Iterator[str]:
    """Return the events of a day that a period includes."""
    return (line for _, line in _events_of(kind, actor, day, period))


def _events_of(kind: Actors, actor: str, day: str, period: Period) -> Iterator[tuple[str, str]]:
    for line in read_day(kind, actor, day):
        envelope = envelope_in(line)
        if period.has(envelope):
            yield order_of(envelope), line


def _behind(line: str) -> Position:
    envelope = envelope_in(line)
    return Position(day=times.normalised(envelope["time"])[:10], after=order_of(envelope))
