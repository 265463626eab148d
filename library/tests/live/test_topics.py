"""Topics of a tree: within AWS IoT's limits whatever the parts are, and a place gets its subtree and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.live.connection import MOST_BYTES, MOST_SLASHES, filter_of, topic_of

ROOT = "a" * 128  # the longest name of a stack
LEVELS = 7

parts = st.text(min_size=1, max_size=128)
paths = st.lists(parts, min_size=LEVELS, max_size=LEVELS)


def is_within(topic: str, topic_filter: str) -> bool:
    """Return True if a topic matches a filter, level by level, as MQTT says: `#` stands for what is left."""
    levels, asked = topic.split("/"), topic_filter.split("/")
    return levels[: len(asked) - 1] == asked[:-1] if asked[-1] == "#" else levels == asked


@given(paths, st.integers(1, LEVELS))
def test_topics_and_filters_are_within_the_limits_without_characters_of_mqtt(path: list[str], depth: int) -> None:
    topic, topic_filter = topic_of(ROOT, path), filter_of(ROOT, path[:depth], levels=LEVELS)

    for one in (topic, topic_filter):
        assert one.count("/") <= MOST_SLASHES == 7
        assert len(one.encode()) <= MOST_BYTES == 256
    assert not set(topic) & set("+#$")
    assert "+" not in topic_filter
    assert topic_filter.count("#") == (depth < LEVELS)


@given(paths, paths, st.integers(1, LEVELS))
def test_whoever_subscribes_to_a_place_gets_exactly_what_is_below(one: list[str], other: list[str], depth: int) -> None:
    topic_filter = filter_of(ROOT, one[:depth], levels=LEVELS)

    assert is_within(topic_of(ROOT, one), topic_filter)
    assert is_within(topic_of(ROOT, other), topic_filter) == (one[:depth] == other[:depth])


def test_deployments_keep_apart() -> None:
    assert not is_within(topic_of("Andon-2", ["a", "b"]), filter_of("Andon", ["a"], levels=2))


def test_names_that_begin_alike_are_different_places() -> None:
    topics = {topic_of("Andon", path) for path in (["JAL", "x"], ["JALISCO", "x"], ["jal", "x"], ["JAL", "x "])}

    assert len(topics) == 4


@pytest.mark.parametrize(("root", "levels"), [("Andon", 8), ("a" * 138, 7)], ids=["too many levels", "too long"])
def test_what_the_broker_would_refuse_is_refused_here(root: str, levels: int) -> None:
    with pytest.raises(ValueError, match="at most 7 slashes and 256 bytes"):
        topic_of(root, ["x"] * levels)
