"""Messages of topic rules: what a thing published is read as it is, and anything else is poison."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.ingress.ingress import Message, from_message, legible
from andon.ingress.names import Kind, basic_ingest, name_in, rule_of, thing_of, topic_of
from andon.runtime.errors import Poison
from andon.testing.lambda_events import rule_message

ROOT = "Toys-beta"
KIND, OTHER = Kind("robot", "mood"), Kind("room", "moods")
NOW, AT = 2_000_000, 1_000_000
THING = "Toys-beta:r2:d2"

scalars = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(st.characters(exclude_categories=["Cs"]))
contents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5).filter(str.isprintable), inner),
    max_leaves=8,
)


def topic(thing: str = THING, kind: Kind = KIND) -> str:
    return topic_of(ROOT, kind, thing)


def published(said: bytes, **other: str) -> str:
    return rule_message(said, **({"topic": topic(), "client": THING, "principal": "c1"} | other), at_ms=AT)


def failed(said: bytes) -> str:
    """What the rule leaves among the dead letters if it could not write."""
    members = {"ruleName": "Toys_beta_robot", "topic": topic(), "clientId": THING, "failures": [{"errorMessage": "no"}]}
    return json.dumps({**members, "base64OriginalPayload": base64.b64encode(said).decode()})


def read(body: str) -> Message:
    return from_message(body, kinds=(KIND, OTHER), root=ROOT, now_ms=NOW)


def read_or_refused(body: str) -> Message | str:
    try:
        return read(body)
    except Poison as error:
        return str(error)


@given(content=contents, kind=st.sampled_from([KIND, OTHER]), past_broker=st.booleans())
def test_what_a_thing_published_is_read_as_it_is(content: object, kind: Kind, *, past_broker: bool) -> None:
    on = topic(kind=kind)
    on = basic_ingest(rule_of(ROOT, kind), on) if past_broker else on

    body = published(json.dumps(content).encode(), topic=on)

    assert read(body) == Message(kind.name, THING, "r2:d2", "c1", AT, content)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "not JSON"),
        (b"hot", "not JSON"),
        (b'{"state": NaN}', "NaN"),
        (b"[" * 40 + b"]" * 40, "nested deeper"),
        (b'{"state": "\xff"}', "not UTF-8: invalid start byte at byte 11"),
        (b'{"a": 1, "a": 1}', "twice"),
        (b'[{"b": {"a": 1, "a": 2}}]', "twice"),
        (b'{"a": 1, "\\u0061": 2}', "twice"),
        (rb'"\ud800"', "not valid Unicode"),
        (b"0" * 128 * 1024, "not JSON"),
    ],
)
def test_what_is_no_json_in_utf_8_is_poison(said: bytes, why: str) -> None:
    with pytest.raises(Poison, match=why):
        read(published(said))


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"client": "Toys-beta:c3po"}, "published to the topic of"),
        ({"client": "n/a"}, "n/a published"),  # over HTTPS, which has no client
        ({"topic": topic("Toys:r2"), "client": "Toys:r2"}, "no thing of Toys-beta"),
        ({"topic": topic("r2"), "client": "r2"}, "no thing of Toys-beta"),
        ({"topic": topic("Toys-beta:"), "client": "Toys-beta:"}, "no thing of Toys-beta"),
        ({"topic": topic("Toys-beta:ü"), "client": "Toys-beta:ü"}, "no thing of Toys-beta"),
        ({"topic": topic().replace("Toys-beta/", "Toys/")}, "no topic of things"),
        ({"topic": topic().replace("mood", "moods")}, "no topic of things"),
        ({"topic": topic() + "/more"}, "no topic of things"),
        ({"topic": ""}, "no topic of things"),
    ],
)
def test_topic_and_client_are_compared_again(other: dict[str, str], why: str) -> None:
    with pytest.raises(Poison, match=why):
        read(published(b"{}", **other))


garbage = st.one_of(
    st.text(max_size=60),
    contents.map(json.dumps),
    st.fixed_dictionaries(
        {},
        optional={
            "body": st.text(max_size=9)
            | scalars
            | st.binary(max_size=9).map(lambda said: base64.b64encode(said).decode()),
            "text": scalars,
            "base64OriginalPayload": scalars,
            "topic": st.just(topic()) | scalars,
            "client": st.just(THING) | scalars,
            "clientId": st.just(THING) | scalars,
            "principal": scalars,
            "at": scalars,
        },
    ).map(json.dumps),
)


@settings(max_examples=300)
@given(body=garbage | st.binary(max_size=40).map(published) | st.binary(max_size=40).map(failed))
def test_anything_at_all_is_read_or_poison_and_the_same_where_it_is_legible(body: str) -> None:
    shown = legible(body)

    assert read_or_refused(shown) == read_or_refused(body)
    assert legible(shown) == shown


@given(said=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_people_read_what_was_published(said: str) -> None:
    for body in (published(said.encode()), failed(said.encode())):
        assert json.loads(legible(body))["text"] == said


@pytest.mark.parametrize("said", ["Núñez".encode("latin-1"), "Ana".encode("utf-16-le")])
def test_what_is_no_text_stays_in_base64_byte_by_byte(said: bytes) -> None:
    assert legible(published(said)) == published(said)


def test_what_the_rule_could_not_write_is_read_when_it_is_put_back() -> None:
    assert read(failed(b'{"mood": "low"}')) == Message("robot", THING, "r2:d2", "", NOW, {"mood": "low"})


def test_a_byte_order_mark_before_what_a_thing_published_is_passed_over() -> None:
    assert read(published("\ufeff{}".encode())) == read(published(b"{}"))


@pytest.mark.parametrize("name", ["", "a b", "a/b", "ü", "a+", "x" * 119])
def test_a_name_that_the_broker_does_not_take_is_no_thing(name: str) -> None:
    with pytest.raises(ValueError, match="no name of a thing"):
        thing_of(ROOT, name)


@given(name=st.from_regex("[A-Za-z0-9:_-]{1,118}", fullmatch=True))
def test_a_thing_has_the_name_that_it_was_given(name: str) -> None:
    assert name_in(ROOT, thing_of(ROOT, name)) == name
    assert name_in("Toys", thing_of(ROOT, name)) is None
