import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon_gateway.changes import Change
from andon_gateway.conditions import Malformed, Value
from andon_gateway.topics import Tag, Topics

OIL, SECOND, WHOLE, ODD = "press#/oil", "press#/list/1", "speed", "press#/a~1b/~0"
TAGS = (OIL, SECOND, WHOLE, ODD)


def made(*, time: tuple[str, ...] | None = None, quiet_ms: int | None = None) -> tuple[Topics, Counter[str]]:
    counts: Counter[str] = Counter()
    return Topics(TAGS, time=time, quiet_ms=quiet_ms, counts=counts), counts


@pytest.mark.parametrize(
    ("topic", "content", "values"),
    [
        ("press", '{"oil": 81.5, "list": [1, "x"], "a/b": {"~": false}}', {OIL: 81.5, SECOND: "x", ODD: False}),
        ("press", '{"oil": null, "list": [1]}', {OIL: None}),
        ("press", '{"oil": {"value": 1}, "list": {"1": 7}}', {OIL: None, SECOND: 7}),
        ("press", "[]", {}),
        ("press", "{", {OIL: None, SECOND: None, ODD: None}),
        ("speed", "12", {WHOLE: 12}),
        ("speed", "ON", {WHOLE: None}),
        ("elsewhere", "12", {}),
        ("press", '{"oil": "\\ud800 low", "list": [0, "\\ud83d\\ude00"]}', {OIL: "\ufffd low", SECOND: "\U0001f600"}),
    ],
)
def test_a_pointer_finds_its_value_and_what_a_message_does_not_name_stays(
    topic: str, content: str, values: dict[str, Value]
) -> None:
    changes = made()[0].take(topic, content.encode(), is_kept=False, now_ms=0)

    assert {change.tag: change.value for change in changes} == values


def test_bytes_of_another_encoding_cost_a_text_and_not_its_neighbours() -> None:
    changes = made()[0].take("press", b'{"oil": 81, "list": [0, "St\xf6rung"]}', is_kept=False, now_ms=0)

    assert {change.tag: change.value for change in changes} == {OIL: 81, SECOND: "St\ufffdrung"}


@given(st.binary() | st.recursive(st.text('[]{}",:1eNa'), lambda inner: inner.map(json.dumps)).map(str.encode))
def test_any_bytes_are_values_or_counted(content: bytes) -> None:
    topics, counts = made(time=("at",))

    changes = topics.take("press", content, is_kept=False, now_ms=0)

    assert counts["malformed"] == 0 or {change.value for change in changes} == {None}


@pytest.mark.parametrize(
    ("said", "at_ms"),
    [
        ("1790000000123", 1_790_000_000_123),
        ('"2026-09-21T13:33:20.123Z"', 1_789_997_600_123),
        ('"2026-09-21T13:33:20"', 1_789_997_600_000),
        ('"soon"', None),
        ("true", None),
        ("1.5", None),
        ("null", None),
    ],
)
def test_the_time_is_the_message_s_if_it_says_one(said: str, at_ms: int | None) -> None:
    topics, counts = made(time=("at",))

    [change] = topics.take("press", f'{{"oil": 1, "at": {said}}}'.encode(), is_kept=False, now_ms=0)

    assert change == Change(OIL, 1, at_ms)
    assert counts["times_missing"] == (at_ms is None)


def test_a_topic_that_is_quiet_for_too_long_is_unknown_and_what_a_broker_kept_is_no_sign_of_life() -> None:
    topics, _ = made(quiet_ms=100)
    assert topics.trouble == "nothing from press, speed"
    topics.take("press", b"{}", is_kept=True, now_ms=0)
    topics.take("speed", b"1", is_kept=False, now_ms=0)
    topics.take("speed", b"1", is_kept=False, now_ms=90)
    topics.take("press", b"{}", is_kept=True, now_ms=90)

    assert topics.tick(100) == []
    assert {change.tag for change in topics.tick(101)} == {OIL, SECOND, ODD}
    assert topics.tick(102) == []
    assert topics.trouble == "nothing from press"


@pytest.mark.parametrize("text", ["", "#/oil", "plant/+/oil", "press#oil", "a\0b"])
def test_a_tag_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        Tag.parse(text)
