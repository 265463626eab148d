"""The length of the chain of causes before an event."""

import pytest

from andon.events.domain_event import DomainEvent
from andon.events.hops import MAX_HOPS, hops_after, hops_of, require_few, tag_of
from andon.runtime.errors import Poison


def event(hops: object = None) -> DomainEvent:
    wire = {"id": "e", "type": "t", "timestamp": 1, "tags": {} if hops is None else {"hops": hops}}
    return DomainEvent.from_wire(wire)


@pytest.mark.parametrize(("said", "read"), [(None, 0), ("0", 0), ("3", 3), ("12", 12)])
def test_the_hops_of_an_event_are_those_of_its_tag(said: str | None, read: int) -> None:
    assert hops_of(event(said)) == read


@pytest.mark.parametrize("said", ["", "-1", "1.5", "many", "٣", "9" * 5000, 7, ["1"], {}])
def test_what_others_write_there_is_none(said: object) -> None:
    assert hops_of(event(said)) == 0


def test_a_row_has_one_more_than_the_farthest_of_the_events_it_is_written_for() -> None:
    assert [hops_after(event()), hops_after(event("2"), event("5"), event())] == [1, 6]


def test_a_row_of_a_person_has_no_tag() -> None:
    assert [tag_of(None), tag_of(0), tag_of("x"), tag_of(2)] == [{}, {}, {}, {"hops": "2"}]


def test_an_event_after_too_many_others_is_refused() -> None:
    require_few(event(str(MAX_HOPS)))

    with pytest.raises(Poison, match="go round"):
        require_few(event(str(MAX_HOPS + 1)))
