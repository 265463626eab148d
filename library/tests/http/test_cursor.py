import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.http.page import Scope, decode_cursor, encode_cursor
from andon.runtime.errors import Invalid

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCOPE: Scope = {"route": "GET /things/{colour}", "path": {"colour": "red"}, "query": {"from": "2020"}}
LAST_KEY = {"colour": "red", "pk": "thing 1", "sk": "2020-04-24T14:50:00.000Z"}
NAMES = frozenset({"pk", "sk"})


def cursor_of(last_key: dict[str, Any] = LAST_KEY, scope: Scope = SCOPE) -> str:
    return encode_cursor(last_key, partition="colour", scope=scope)


def forged(position: object, scope: Scope = SCOPE) -> str:
    """Make a cursor as somebody can who has read the code: the checksum is no secret."""
    last_key = {f"{name}": value for name, value in position.items()} if isinstance(position, dict) else {}
    checksum = json.loads(unpacked(encode_cursor(last_key, partition="", scope=scope)))[1]
    return packed(json.dumps([position, checksum]).encode())


def packed(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def unpacked(cursor: str) -> bytes:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


URL_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@given(TEXT, TEXT | st.integers(min_value=0, max_value=10**15))
def test_a_cursor_leads_back_to_where_the_page_ended_and_can_stand_in_a_url_as_it_is(pk: str, sk: str | int) -> None:
    cursor = cursor_of({"colour": "red", "pk": pk, "sk": sk})

    assert decode_cursor(cursor, names=NAMES, scope=SCOPE) == {"pk": pk, "sk": sk}
    assert set(cursor) <= URL_SAFE
    assert b'"colour"' not in unpacked(cursor)  # the request repeats its partition


@pytest.mark.parametrize(
    "scope",
    [
        SCOPE | {"route": "GET /things"},
        SCOPE | {"path": {"colour": "blue"}},
        SCOPE | {"query": {"from": "2021"}},
        SCOPE | {"query": {}},
        SCOPE | {"query": {"to": "2020"}},
    ],
)
def test_a_cursor_of_another_question_is_refused(scope: Scope) -> None:
    with pytest.raises(Invalid):
        decode_cursor(cursor_of(scope=scope), names=NAMES, scope=SCOPE)


@given(st.data())
def test_a_cursor_with_any_character_changed_is_refused_or_means_the_same(data: st.DataObject) -> None:
    cursor = cursor_of()
    at = data.draw(st.integers(0, len(cursor) - 1))
    tampered = cursor[:at] + data.draw(st.sampled_from("Aa0_-=+/ é")) + cursor[at + 1 :]

    try:
        position = decode_cursor(tampered, names=NAMES, scope=SCOPE)
    except Invalid:
        return
    assert position == decode_cursor(cursor, names=NAMES, scope=SCOPE)


@given(st.text())
def test_anything_else_is_refused_as_a_bad_request(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        decode_cursor(text, names=NAMES, scope=SCOPE)

    assert [error.field for error in refused.value.fields] == ["query.cursor"]


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"null", b"1", b'"ab"', b"[]", b"[1]", b"[1,2]", b"[{},1,2]", b'{"a":1,"b":2}', b"\xff\xfe"),
        *(b"[" * 3000, b'[{"pk":NaN,"sk":"x"},"' + b"0" * 16 + b'"]', b"[" + b"9" * 3000 + b',"x"]'),
    ],
    ids=lambda content: str(content[:20]),
)
def test_a_cursor_with_something_else_inside_is_refused(content: bytes) -> None:
    with pytest.raises(Invalid):
        decode_cursor(packed(content), names=NAMES, scope=SCOPE)


@pytest.mark.parametrize(
    "position",
    [
        *({"pk": "x"}, {"pk": "x", "sk": "y", "colour": "blue"}, {"pk": "x", "sk": True}, {"pk": "x", "sk": None}),
        *({"pk": "x", "sk": 1.5}, {"pk": "x", "sk": float("nan")}, {"pk": "x", "sk": ["y"]}),
        *({"pk": "x", "sk": {"S": "y"}}, {"pk": "x", "sk": 10**50}, {"pk": "x", "sk": "\ud800"}, ["pk", "sk"], "pk"),
    ],
    ids=ascii,
)
def test_a_forged_cursor_that_no_table_could_start_from_is_refused(position: object) -> None:
    with pytest.raises(Invalid):
        decode_cursor(forged(position), names=NAMES, scope=SCOPE)


def test_a_forged_cursor_starts_elsewhere_in_the_same_partition_and_no_more() -> None:
    assert decode_cursor(forged({"pk": "x", "sk": "y"}), names=NAMES, scope=SCOPE) == {"pk": "x", "sk": "y"}


# Of three key attributes as long as DynamoDB takes them; the last is no shorter than six levels of ids.
@pytest.mark.parametrize("character", ["x", "ж", "工", "🏭", '"', "\\"], ids=ascii)
def test_a_cursor_of_the_longest_keys_is_taken(character: str) -> None:
    longest = {"index": 1024, "pk": 2048, "sk": 1024}
    position = {name: character * (most // len(character.encode())) for name, most in longest.items()}

    cursor = encode_cursor({**position, "colour": "red"}, partition="colour", scope=SCOPE)

    assert decode_cursor(cursor, names=frozenset(longest), scope=SCOPE) == position
    assert character in '"\\' or len(cursor) <= 6_000


def test_an_endless_cursor_is_refused() -> None:
    with pytest.raises(Invalid):
        decode_cursor("A" * 1_000_000, names=NAMES, scope=SCOPE)
