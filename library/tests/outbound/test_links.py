"""Signed links: what was signed is read again, and nothing else counts."""

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.outbound import links
from andon.outbound.links import MOST_CHARACTERS, Link, sign, verify
from andon.runtime.errors import Gone

KEY: Final = b"k" * 32
PREVIOUS: Final = b"p" * 32
NOW_MS: Final = 1_795_000_000_000
SOON: Final = NOW_MS // 1000 + 4 * 3600
PURPOSE: Final = "seen"
LINK: Final = Link("op-17", ("press-7#ERROR", "press-8#ERROR"), SOON)

LINKS: Final = st.builds(
    Link,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=8).map(tuple),
    st.integers(SOON, 2**40 - 1),
)


def read(token: str, *, purpose: str = PURPOSE, keys: tuple[bytes, ...] = (KEY,), now_ms: int = NOW_MS) -> Link:
    return verify(token, purpose=purpose, keys=keys, now_ms=now_ms)


def is_gone(token: str, *, purpose: str = PURPOSE, keys: tuple[bytes, ...] = (KEY,), now_ms: int = NOW_MS) -> bool:
    try:
        read(token, purpose=purpose, keys=keys, now_ms=now_ms)
    except Gone as gone:
        return gone.status == 410
    return False


@given(LINKS)
def test_what_was_signed_is_read_again(link: Link) -> None:
    token = sign(link, purpose=PURPOSE, key=KEY)

    assert read(token) == link
    assert token.replace("-", "").replace("_", "").isalnum()  # no character that a text or an address would change


@given(
    LINKS,
    st.integers(0),
    st.characters(min_codepoint=1, max_codepoint=0x17F),
    st.sampled_from(["put", "insert", "cut"]),
)
def test_whatever_is_changed_of_a_token_it_is_gone(link: Link, at: int, character: str, change: str) -> None:
    token = sign(link, purpose=PURPOSE, key=KEY)
    at %= len(token)
    changed = token[:at] + ("" if change == "cut" else character) + token[at + (change != "insert") :]

    assert changed == token or is_gone(changed)


def test_not_one_bit_of_a_token_may_differ() -> None:
    token = sign(LINK, purpose=PURPOSE, key=KEY)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    others = {token[:at] + one + token[at + 1 :] for at in range(len(token)) for one in alphabet} - {token}

    assert all(is_gone(other) for other in others)
    assert all(
        is_gone(other) for other in (token + "=", token + "A", f" {token}", token[:-1], "", "=", "ü", "A" * 9_999)
    )


@given(LINKS, st.text(max_size=10))
def test_for_another_purpose_it_is_gone(link: Link, purpose: str) -> None:
    assert purpose == PURPOSE or is_gone(sign(link, purpose=purpose, key=KEY))


def test_a_purpose_cannot_be_continued_by_what_is_signed() -> None:
    token = sign(LINK._replace(expires=2**32), purpose="see", key=KEY)
    signed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    moved = urlsafe_b64encode(signed[:16] + signed[17:]).decode().rstrip("=")

    assert is_gone(moved, purpose="see\x01")  # the version is now a part of the purpose, and a byte of the time is it


@pytest.mark.parametrize(("late_ms", "gone"), [(-1, False), (0, True), (1, True), (10**9, True)])
def test_it_counts_until_it_expires(late_ms: int, gone: bool) -> None:  # noqa: FBT001  pytest's
    token = sign(LINK, purpose=PURPOSE, key=KEY)

    assert is_gone(token, now_ms=SOON * 1000 + late_ms) == gone


def test_what_the_key_before_signed_counts_until_that_one_is_forgotten() -> None:
    token = sign(LINK, purpose=PURPOSE, key=PREVIOUS)

    assert read(token, keys=(KEY, PREVIOUS)) == LINK
    assert is_gone(token, keys=(KEY,))
    assert is_gone(token, keys=())


def test_a_key_that_could_be_guessed_signs_nothing_and_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        sign(LINK, purpose=PURPOSE, key=b"short")

    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(links, "FEWEST_BYTES_OF_A_KEY", 0)
        token = sign(LINK, purpose=PURPOSE, key=b"")
    assert is_gone(token, keys=(b"",))


def test_a_link_that_no_text_could_carry_is_not_made() -> None:
    with pytest.raises(ValueError, match="2048"):
        sign(LINK._replace(references=("r" * MOST_CHARACTERS,)), purpose=PURPOSE, key=KEY)


@given(st.binary(max_size=200))
def test_what_nobody_signed_is_gone(body: bytes) -> None:
    assert is_gone(body.hex())
    assert is_gone(os.fsdecode(body))


def test_a_usual_link_leaves_room_in_an_sms() -> None:
    one = Link("0f8fad5b-d9cb-469f-a165-70867728950e", ("press-7", "ERROR", "2026-11-23T12:08:00.000Z"), SOON)

    assert len(sign(one, purpose=PURPOSE, key=KEY)) <= 153


def test_a_token_of_another_version_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        later.setattr(links, "VERSION", b"\x02")
        token = sign(LINK, purpose=PURPOSE, key=KEY)

    assert is_gone(token)
