from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.bus_entry import MAX_REQUEST_BYTES, size_of, to_entry
from andon.events.domain_event import DomainEvent
from andon.events.fault import MAX_MESSAGE_CHARACTERS, fault_of
from andon.runtime.errors import Poison
from toys.clock import NOW


def a_fault(message: str = "what came", *, consumer: str = "things.listener", now_ms: int = NOW) -> DomainEvent:
    return fault_of(Poison("not JSON"), message, consumer=consumer, now_ms=now_ms)


def test_a_fault_keeps_the_original_message_its_consumer_and_the_error() -> None:
    fault = a_fault("a message")

    assert fault.type == "fault"
    assert fault.timestamp_ms == NOW
    assert fault.entities["fault"] == {
        "consumer": "things.listener",
        "error": {"name": "Poison", "message": "not JSON"},
        "message": "a message",
    }
    assert fault.tags["actor"] == "things.listener"


def test_the_id_of_a_fault_depends_on_consumer_and_message_only() -> None:
    assert a_fault("m").id == a_fault("m", now_ms=NOW + 1).id
    ids = [a_fault("m").id, a_fault("n").id, a_fault("m", consumer="others.listener").id]
    assert all(one != other for one, other in pairwise(sorted(ids)))


def test_faults_of_long_messages_differ_even_where_only_the_lost_ends_do() -> None:
    shared = "x" * MAX_MESSAGE_CHARACTERS

    assert a_fault(shared + "1").id != a_fault(shared + "2").id
    assert a_fault(shared + "1").entities["fault"]["truncated"] is True
    assert "truncated" not in a_fault(shared).entities["fault"]


@pytest.mark.parametrize("character", ["x", '"', "\\", "\x00", "\x7f", "é", "工", "🏭"], ids=ascii)
def test_a_fault_of_the_worst_message_fits_into_one_entry(character: str) -> None:
    entry = to_entry(a_fault(character * 300_000), source="things", bus="bus")

    assert size_of(entry) <= MAX_REQUEST_BYTES


@given(st.text(st.characters()))
def test_a_fault_of_any_text_can_be_written_down(message: str) -> None:
    entry = to_entry(a_fault(message), source="things", bus="bus")

    assert entry["Detail"].encode()


def test_a_lone_surrogate_is_escaped_as_nothing_on_the_wire_can_carry_it() -> None:
    assert a_fault("a\ud800b").entities["fault"]["message"] == "a\\ud800b"
