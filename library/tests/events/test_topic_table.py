"""Topics in an environment variable."""

from andon.events.topic import from_json, to_json

TOPICS = {"a-Queue": [("things", "made"), ("things", "lost")], "b-Queue": [("things", "made")], "c-Queue": []}


def test_each_name_gets_its_topics_back() -> None:
    found = from_json(to_json(TOPICS))

    assert {name: {(source, event_type) for source, event_type in own} for name, own in found.items()} == {
        name: set(own) for name, own in TOPICS.items()
    }


def test_a_topic_is_written_once_however_many_have_it() -> None:
    assert to_json({f"{number}": TOPICS["a-Queue"] for number in range(50)}).count("made") == 1
