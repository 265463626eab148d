from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon_gateway.changes import Change, messages_of
from andon_gateway.conditions import Malformed
from andon_gateway.nodes import OWN, NodeName

CHANGES = st.builds(Change, st.sampled_from("abc"), st.integers(), st.none() | st.integers(0, 9))


@given(st.lists(CHANGES))
def test_each_tag_keeps_its_changes_in_their_order_and_no_message_has_two_times(changes: Sequence[Change]) -> None:
    messages = messages_of(changes, source="line", received_ms=9)

    told = [Change(tag, value, one.source_ms) for one in messages for tag, value in one.values.items()]
    for tag in "abc":
        assert [one for one in told if one.tag == tag] == [one for one in changes if one.tag == tag]


def test_changes_of_two_tags_are_in_the_order_of_time_and_those_of_one_time_together() -> None:
    changes = [Change("a", 1, None), Change("a", 2, 5), Change("a", 3, 7), Change("b", 1, None), Change("b", 2, 5)]

    messages = messages_of(changes, source="line", received_ms=9)

    assert [(one.source_ms, one.values) for one in messages] == [
        (None, {"a": 1, "b": 1}),
        (5, {"a": 2, "b": 2}),
        (7, {"a": 3}),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("nsu=urn:plc;s=Press1;Mode=1", NodeName("urn:plc", "Press1;Mode=1")),
        ("nsu=urn:a%3Bb%25;i=7", NodeName("urn:a;b%", 7)),
        ("nsu=urn:plc;b=b2ls", NodeName("urn:plc", b"oil")),
        ("nsu=urn:plc;g=" + "0" * 32, NodeName("urn:plc", UUID(int=0))),
        ("i=2258", NodeName(OWN, 2258)),
    ],
)
def test_a_node_is_named_by_the_uri_of_its_namespace(text: str, name: NodeName) -> None:
    assert NodeName.parse(text) == name


@pytest.mark.parametrize(
    "text", ["", "Press1.Mode", "nsu=urn:plc", "nsu=urn:plc;i=x", "nsu=urn:plc;b=!", "g=1", "nsu=;s=a"]
)
def test_what_names_no_node_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="should be the name of a node"):
        NodeName.parse(text)
