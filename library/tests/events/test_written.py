"""A write as a token: read back as it was, or refused."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.domain_event import MAX_TIMESTAMP_MS, Entity
from andon.events.written import ToldEntity, Written
from andon.runtime.errors import Poison

NAMES = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=20)
WRITES = st.builds(
    Written,
    source=NAMES,
    type=NAMES,
    entity_name=NAMES,
    partition_key=NAMES,
    timestamp_ms=st.integers(0, MAX_TIMESTAMP_MS),
    names=st.dictionaries(NAMES, NAMES | st.integers(0, 999_999_999), max_size=4),
    event_id=NAMES,
)
WRITE = Written(
    source="s",
    type="state-reported",
    entity_name="state",
    partition_key="d#1/ü",
    timestamp_ms=1,
    names={"state": "ERROR"},
)


def forged(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@given(WRITES)
def test_a_token_is_read_as_it_was_written_and_fits_into_a_url(write: Written) -> None:
    token = write.to_token()

    assert Written.from_token(token) == write
    assert token.isascii()
    assert token.replace("-", "").replace("_", "").isalnum()


@given(st.text(max_size=60))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a token of a write"):
        Written.from_token(text)


@given(st.data())
def test_a_garbled_token_is_refused(data: st.DataObject) -> None:
    token = WRITE.to_token()
    place = data.draw(st.integers(0, len(token) - 2))  # the last character has bits that say nothing
    other = data.draw(st.sampled_from("Aa0_-").filter(lambda character: character != token[place]))

    with pytest.raises(ValueError, match="is not a token of a write"):
        Written.from_token(token[:place] + other + token[place + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "{}", "null", '"text"', "[1]", '[2,"s","state-reported","state","d#1",1,"",{},"00000000"]'),
        *('[1,"state","d#1",1,"",{},"00000000"]', '[2,"s","state-reported","state","d#1",1,"",{}]'),
    ],
)
def test_what_was_never_a_token_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a token of a write"):
        Written.from_token(forged(text))


@pytest.mark.parametrize(
    "changed",
    [
        *({"timestamp_ms": -1}, {"timestamp_ms": MAX_TIMESTAMP_MS + 1}, {"timestamp_ms": True}, {"partition_key": 7}),
        *({"partition_key": "a\x00"}, {"partition_key": "a" * 257}, {"names": []}, {"names": {"state": 1.5}}),
        {"names": {"state": None}},
    ],
)
def test_a_token_with_a_right_checksum_and_wrong_content_is_refused(changed: dict[str, object]) -> None:
    members = {
        "source": "s",
        "type": "t",
        "entity_name": "state",
        "partition_key": "d#1",
        "timestamp_ms": 1,
        "names": {},
    } | changed
    if isinstance(members["names"], list):
        members["names"] = {"a": []}

    with pytest.raises(ValueError, match="is not a token of a write"):
        Written.from_token(Written(**members).to_token())  # type: ignore[arg-type]


def test_a_token_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        later.setattr("andon.events.written.VERSION", 3)
        token = WRITE.to_token()

    with pytest.raises(ValueError, match="is not a token of a write"):
        Written.from_token(token)


def test_a_view_may_ask_until_when_a_row_is_shown_whether_or_not_a_token_names_it() -> None:
    said = {"endsAt": "2026-01-01T00:00:01Z", "never": "later"}

    assert [ToldEntity("loan", one).seconds("endsAt") for one in ({}, said)] == [0, 1_767_225_601]
    assert Entity("loan", said).seconds("endsAt") == 1_767_225_601
    for missing in ("never", "at"):
        with pytest.raises(Poison, match=f"loan.{missing} must be"):
            Entity("loan", said).seconds(missing)
