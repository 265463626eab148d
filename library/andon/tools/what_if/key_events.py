"""The events under a correlation key in memory, as a micro event store keeps them; and what rules read of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from andon.dynamodb import ttl
from andon.dynamodb.client import Table
from andon.rules.micro_event_store import FEW, NewestPage, following, limits, settled
from andon.rules.past import Past
from andon.rules.stored_event import CorrelationKey, StoredEvent, behind


class KeyEvents:
    """Events in the order of their sort keys.

    is_anchored: a rule was evaluated, or is due, at one of them. is_of_group: not all of them are in all groups.
    """

    def __init__(self) -> None:
        self.sorts: list[str] = []
        self.events: list[StoredEvent] = []
        self.is_anchored = self.is_of_group = False

    def add(self, one: StoredEvent) -> bool:
        """Store an event; False: it is there already."""
        if not self.sorts or self.sorts[-1] < one.sort:
            self.sorts.append(one.sort)
            self.events.append(one)
            return True
        place = bisect_left(self.sorts, one.sort)
        if self.sorts[place] == one.sort:
            return False
        self.sorts.insert(place, one.sort)
        self.events.insert(place, one)
        return True

    def replace(self, one: StoredEvent) -> None:
        """Put an event in the place of the one that is there."""
        self.events[bisect_left(self.sorts, one.sort)] = one

    def settled(self, one: StoredEvent, *, gap_ms: int | None, hold_back_ms: int) -> StoredEvent:
        """Return an event as `micro_event_store.settled` does, for which the newest of a key needs no page."""
        if self.sorts and one.sort < self.sorts[-1]:
            return settled(one, self.newest_first(one, gap_ms), gap_ms=gap_ms, hold_back_ms=hold_back_ms)
        if gap_ms is None:
            return one
        return following(one, self.events[: -FEW - 1 : -1], gap_ms=gap_ms, hold_back_ms=hold_back_ms)

    def newest_first(self, one: StoredEvent, gap_ms: int | None) -> Iterator[NewestPage]:
        """Yield the pages that are read when an event is stored."""
        first = bisect_left(self.sorts, one.sort) if gap_ms is None else 0
        end = len(self.sorts)
        for limit in limits(gap_ms):
            start = max(first, end - limit)
            is_full = end - start == limit
            yield NewestPage(self.events[start:end][::-1], self.sorts[start] if is_full else None)
            end = start


class KeyPast(Past):
    """The past of a key that lies in memory."""

    def __init__(self, table: Table, key: CorrelationKey, of: KeyEvents, *, now_ms: int) -> None:
        super().__init__(table, key, anchors=(), now_ms=now_ms)
        self._of, self._at_ms = of, now_ms

    def upto(self, sort: str) -> Iterator[StoredEvent]:
        """Yield the events from a sort key on, newest first."""
        return self._alive_among(range(bisect_right(self._of.sorts, sort) - 1, -1, -1))

    def behind(self, sort: str, *, until_ms: int) -> Iterator[StoredEvent]:
        """Yield the events behind a sort key up to a time, oldest first."""
        return self._alive_among(range(*self._between(sort, until_ms)))

    def within(self, sort: str, *, until_ms: int) -> Iterator[StoredEvent]:
        """Yield the events behind a sort key up to a time, newest first."""
        first, end = self._between(sort, until_ms)
        return self._alive_among(range(end - 1, first - 1, -1))

    def _between(self, sort: str, until_ms: int) -> tuple[int, int]:
        return bisect_right(self._of.sorts, sort), bisect_left(self._of.sorts, behind(until_ms))

    def _alive_among(self, places: range) -> Iterator[StoredEvent]:
        events = self._of.events
        for place in places:
            if not ttl.is_expired(events[place].ttl, self._at_ms):
                yield events[place]
