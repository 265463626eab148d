"""Events of a key in memory are settled as the store settles them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.rules.micro_event_store import settled
from andon.rules.stored_event import StoredEvent, sort_of
from andon.tools.what_if.key_events import KeyEvents

HOLD_BACK_MS = 3
TYPES = ("happened", "seen")


def stored(at: int, kind: str, *, arrived: int) -> StoredEvent:
    event = DomainEvent(f"{kind}{at}", kind, at, "a", {})
    return StoredEvent("things", event, arrived, "a", sort_of(at, kind), 10**9)


@pytest.mark.parametrize("gap_ms", [None, 4])
@given(some=st.lists(st.tuples(st.integers(0, 12), st.sampled_from(TYPES), st.integers(0, 4)), max_size=12))
def test_each_event_is_settled_as_from_all_pages(gap_ms: int | None, some: list[tuple[int, str, int]]) -> None:
    events, now = KeyEvents(), 0
    for at, kind, later in some:
        now += later
        one = stored(at, kind, arrived=now)
        pages = [*events.newest_first(one, gap_ms)]
        found = events.settled(one, gap_ms=gap_ms, hold_back_ms=HOLD_BACK_MS)
        assert found == settled(one, pages, gap_ms=gap_ms, hold_back_ms=HOLD_BACK_MS)
        events.add(found)
