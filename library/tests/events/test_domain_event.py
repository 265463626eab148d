import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.domain_event import ENVELOPE, MAX_TIMESTAMP_MS, DomainEvent, Entity
from andon.runtime import strict_json
from andon.runtime.errors import Poison

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)
names = texts.filter(str.isprintable)
entities = st.dictionaries(texts.filter(lambda name: name not in ENVELOPE),
                           st.dictionaries(texts, texts, max_size=3), max_size=3)  # fmt: skip
events = st.builds(
    DomainEvent,
    id=names,
    type=names,
    timestamp_ms=st.integers(0, MAX_TIMESTAMP_MS),
    partition_key=names,
    entities=entities,
    tags=st.dictionaries(texts, texts, max_size=3),
    raw=st.none() | st.dictionaries(texts, texts, max_size=3),
)

MINIMAL = {"id": "e1", "type": "thing-painted", "timestamp": 1}


@given(events)
def test_an_event_is_read_as_it_was_written(event: DomainEvent) -> None:
    assert DomainEvent.from_wire(strict_json.loads(strict_json.dumps(event.to_wire()))) == event


def test_what_others_leave_out_or_add_does_not_matter() -> None:
    event = DomainEvent.from_wire(MINIMAL | {"thing": {"name": "x"}, "trace": "unknown"})

    assert event.tags == {}
    assert event.raw is None
    assert event.entity("thing").text("name") == "x"
    assert event.entity("thing").get("unknown") is None


@pytest.mark.parametrize(
    "wire",
    [
        None,
        [],
        "text",
        {},
        *({name: value for name, value in MINIMAL.items() if name != missing} for missing in MINIMAL),
        MINIMAL | {"id": ""},
        MINIMAL | {"id": 1},
        MINIMAL | {"type": None},
        MINIMAL | {"type": ["thing-painted"]},
        MINIMAL | {"timestamp": "1"},
        MINIMAL | {"timestamp": 1.0},
        MINIMAL | {"timestamp": True},
        MINIMAL | {"timestamp": -1},
        MINIMAL | {"timestamp": MAX_TIMESTAMP_MS + 1},
        *(MINIMAL | {name: "x" * 257} for name in ("id", "type", "partitionKey")),
        *(MINIMAL | {name: "a\nb"} for name in ("id", "type", "partitionKey")),
    ],
    ids=str,
)
def test_an_envelope_that_lacks_what_is_needed_is_poison(wire: object) -> None:
    with pytest.raises(Poison):
        DomainEvent.from_wire(wire)


@pytest.mark.parametrize("timestamp", [0, MAX_TIMESTAMP_MS])
def test_the_first_and_the_last_millisecond_are_read(timestamp: int) -> None:
    assert DomainEvent.from_wire(MINIMAL | {"timestamp": timestamp}).timestamp_ms == timestamp


@pytest.mark.parametrize("name", ["id", "type", "partitionKey"])
def test_a_name_of_256_characters_is_read(name: str) -> None:
    event = DomainEvent.from_wire(MINIMAL | {name: "€" * 256})

    assert event.to_wire()[name] == "€" * 256  # type: ignore[literal-required]


def test_what_derives_from_the_last_time_within_400_days_still_sorts_as_text() -> None:
    assert len(str(MAX_TIMESTAMP_MS + 400 * 86_400_000)) == 13


@pytest.mark.parametrize("value", [None, "", 1, True, ["x"], {"S": "x"}])
def test_a_needed_field_of_an_entity_is_text(value: object) -> None:
    event = DomainEvent.from_wire(MINIMAL | {"thing": {"name": value}})

    with pytest.raises(Poison, match=r"thing\.name"):
        event.entity("thing").text("name")


@pytest.mark.parametrize(
    ("value", "text"), [("hot", "hot"), ("", ""), (0, "0"), (False, "false"), ({"celsius": 81.5}, '{"celsius":81.5}')]
)
def test_what_should_be_text_and_is_not_is_read_as_json(value: object, text: str) -> None:
    assert Entity("thing", {"detail": value}).optional_text("detail") == text
    assert Entity("thing", {"detail": None}).optional_text("detail") is None
    assert Entity("thing", {}).optional_text("detail") is None


@pytest.mark.parametrize("value", ["7", None, 7.5, True])
def test_a_number_that_is_not_whole_is_poison(value: object) -> None:
    with pytest.raises(Poison):
        Entity("thing", {"revision": value}).whole_number("revision")
